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
  const std::size_t rank = arguments.operand("data").rank();
  const std::int64_t depth = arguments.operand("indices").shape().back();
  if (depth > static_cast<std::int64_t>(rank)) {
    refuse(operation, Check::index_depth,
           "the last dimension of {} must be at most {}, the rank of {}{}, got {}",
           operation.called("indices"), rank, operation.called("data"),
           rows_hint(operation, arguments), depth);
  }
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
  const std::string_view called = operation.called("indices");
  require_data_rank(operation, arguments);
  require_rank_at_least_1(operation, Check::indices_rank, called, indices);
  require_depth(operation, arguments);
  require_index_dtype(operation, indices);
  const std::string hint = rows_hint(operation, arguments);
  fit_updates(operation, arguments,
              {.shape = updates_of_nd(operation, arguments),
               .formula = fmt::format("{}.shape[:-1] + {}.shape[{}:]", called,
                                      operation.called("data"), indices.shape().back()),
               .hint = hint});
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
