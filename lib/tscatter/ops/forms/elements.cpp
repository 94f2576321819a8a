#include "tscatter/core/fail.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/axis_operand.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"

namespace tscatter::forms {
namespace {

void require_rank_of_data(RuleOf rule, const Tensor& indices, const Tensor& data) {
  if (indices.rank() != data.rank()) {
    fail(ErrorKind::rule, rule.label, rule.operation,
         "indices must have rank {}, the rank of data, got rank {}", data.rank(), indices.rank());
  }
}

void require_sizes_within_data(const Operation& operation, const Arguments& arguments) {
  const Shape& data = arguments.operand("data").shape();
  const Shape& indices = arguments.operand("indices").shape();
  const std::size_t indexed = axis_of(operation, arguments);
  for (std::size_t axis = 0; axis < data.size(); ++axis) {
    const RuleOf rule = axis == indexed ? rule_of(operation, Check::indices_length)
                                        : rule_of(operation, Check::indices_shape);
    if (!rule.label.empty() && indices[axis] > data[axis]) {
      fail(ErrorKind::rule, rule.label, rule.operation,
           "the size of indices along axis {} must be at most {}, that of data, got {}", axis,
           data[axis], indices[axis]);
    }
  }
}

}  // namespace

Shape updates_of_elements(const Operation&, const Arguments& arguments) {
  return arguments.operand("indices").shape();
}

void validate_elements(const Operation& operation, const Arguments& arguments) {
  const Tensor& data = arguments.operand("data");
  const Tensor& indices = arguments.operand("indices");
  const Tensor& updates = arguments.operand("updates");
  require_rank_at_least_1(rule_of(operation, Check::data_rank), "data", data);
  require_rank_of_data(rule_of(operation, Check::indices_rank), indices, data);
  require_axis(operation, arguments);
  require_index_dtype(rule_of(operation, Check::indices_dtype), operation, indices);
  require_sizes_within_data(operation, arguments);
  require_shape(rule_of(operation, Check::updates_shape), "updates", updates, indices.shape(),
                "the shape of indices");
  require_dtype_of_data(rule_of(operation, Check::updates_dtype), updates, data);
}

LoweredPlan lower_elements(const Operation& operation, const Arguments& arguments,
                           const Parallelism& parallelism) {
  const Shape& indices = arguments.operand("indices").shape();
  return lower_entries(operation, arguments,
                       {.named = {.first = 0, .depth = indices.size(), .shape = indices},
                        .along = axis_of(operation, arguments)},
                       parallelism);
}

LoweredPlan lower_elements_indexed(const Operation& operation, const Arguments& arguments,
                                   const Parallelism& parallelism) {
  auto indexed = lower_indexed(operation, arguments, axis_of(operation, arguments), parallelism);
  return indexed ? *std::move(indexed) : lower_elements(operation, arguments, parallelism);
}

}  // namespace tscatter::forms
