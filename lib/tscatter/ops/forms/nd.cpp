#include "tscatter/core/fail.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"
#include "tscatter/ops/newest_operation.hpp"

namespace tscatter::forms {
namespace {

// Whether indices are n row numbers, [3, 5], where an operation of this form takes [[3], [5]].
bool are_rows(const Tensor& data, const Tensor& indices, const Tensor& updates) {
  if (indices.rank() != 1) return false;
  Shape rows = data.shape();
  rows.front() = indices.count();
  return indices.count() > static_cast<std::int64_t>(data.rank()) || updates.shape() == rows;
}

std::string rows_hint(const Operation& operation, const Arguments& arguments) {
  const Tensor& indices = arguments.operand("indices");
  if (!are_rows(arguments.operand("data"), indices, arguments.operand("updates"))) return {};
  const Operation* other =
      newest_operation(operation.id, [](const Operation& each) { return each.form == Form::rows; });
  const bool is_possible =
      other != nullptr && operation.reduction(arguments.attributes) == Reduction::none;
  return fmt::format(" (for row numbers use {}{}[:, None], of shape [{}, 1])",
                     is_possible ? fmt::format("{}, or ", other->name) : "",
                     operation.called("indices"), indices.count());
}

void require_depth(const Operation& operation, const Arguments& arguments) {
  const RuleOf rule = rule_of(operation, Check::index_depth);
  const std::size_t rank = arguments.operand("data").rank();
  const std::int64_t depth = arguments.operand("indices").shape().back();
  if (depth > static_cast<std::int64_t>(rank)) {
    fail(ErrorKind::rule, rule.label, rule.operation,
         "the last dimension of {} must be at most {}, the rank of {}{}, got {}", rule.indices,
         rank, rule.data, rows_hint(operation, arguments), depth);
  }
}

void require_updates_shape(const Operation& operation, const Arguments& arguments) {
  const Shape& indices = arguments.operand("indices").shape();
  const Tensor& updates = arguments.operand("updates");
  const Shape expected = updates_of_nd(operation, arguments);
  const bool takes_one_element = operation.updates_shape == UpdatesShape::one_element;
  if (updates.shape() == expected) return;
  if (takes_one_element && expected.empty() && updates.count() == 1) return;
  const RuleOf rule = rule_of(operation, Check::updates_shape);
  require_shape(
      rule, operation.called("updates"), updates, expected,
      fmt::format("{}.shape[:-1] + {}.shape[{}:]", rule.indices, rule.data, indices.back()),
      rows_hint(operation, arguments));
}

}  // namespace

Shape updates_of_nd(const Operation&, const Arguments& arguments) {
  const Shape& data = arguments.operand("data").shape();
  const Shape& indices = arguments.operand("indices").shape();
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), data.begin() + indices.back(), data.end());
  return shape;
}

void prepare_nd(const Operation& operation, Arguments& arguments) {
  const Tensor& indices = arguments.operand("indices");
  require_data_rank(operation, arguments);
  const RuleOf rank = rule_of(operation, Check::indices_rank);
  require_rank_at_least_1(rank, rank.indices, indices);
  require_depth(operation, arguments);
  require_index_dtype(rule_of(operation, Check::indices_dtype), operation, indices);
  require_updates_shape(operation, arguments);
  require_dtype_of_data(operation, arguments);
}

LoweredPlan lower_nd(const Operation& operation, const Arguments& arguments,
                     const Lowering& lowering) {
  const Shape& indices = arguments.operand("indices").shape();
  return lower_entries(operation, arguments,
                       {.named = {.first = 0,
                                  .depth = static_cast<std::size_t>(indices.back()),
                                  .shape = {indices.begin(), indices.end() - 1}}},
                       lowering);
}

}  // namespace tscatter::forms
