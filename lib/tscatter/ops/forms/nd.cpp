#include "tscatter/ops/forms/nd.hpp"

#include "tscatter/core/fail.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"

namespace tscatter::forms {
namespace {

Shape updates_shape(const Shape& data, const Shape& indices) {
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), data.begin() + indices.back(), data.end());
  return shape;
}

void require_depth(RuleOf rule, const Tensor& data, const Tensor& indices) {
  if (indices.shape().back() > static_cast<std::int64_t>(data.rank())) {
    fail(ErrorKind::rule, rule.label, rule.operation,
         "the last dimension of indices must be at most {}, the rank of data, got {}", data.rank(),
         indices.shape().back());
  }
}

void require_updates_shape(RuleOf rule, const Tensor& data, const Tensor& indices,
                           const Tensor& updates) {
  const Shape expected = updates_shape(data.shape(), indices.shape());
  if (expected.empty() && updates.count() == 1) return;
  require_shape(rule, "updates", updates, expected,
                fmt::format("indices.shape[:-1] + data.shape[{}:]", indices.shape().back()));
}

}  // namespace

void validate_nd(const Operation& operation, const Arguments& arguments) {
  const Tensor& data = arguments.operand("data");
  const Tensor& indices = arguments.operand("indices");
  const Tensor& updates = arguments.operand("updates");
  require_rank_at_least_1(rule_of(operation, Check::data_rank), "data", data);
  require_rank_at_least_1(rule_of(operation, Check::indices_rank), "indices", indices);
  require_depth(rule_of(operation, Check::index_depth), data, indices);
  require_index_dtype(rule_of(operation, Check::indices_dtype), operation, indices);
  require_updates_shape(rule_of(operation, Check::updates_shape), data, indices, updates);
  require_dtype_of_data(rule_of(operation, Check::updates_dtype), updates, data);
}

LoweredPlan lower_nd(const Operation& operation, const Arguments& arguments,
                     const Parallelism& parallelism) {
  const Shape& indices = arguments.operand("indices").shape();
  return lower_entries(operation, arguments,
                       {.first = 0,
                        .depth = static_cast<std::size_t>(indices.back()),
                        .shape = {indices.begin(), indices.end() - 1}},
                       parallelism);
}

}  // namespace tscatter::forms
