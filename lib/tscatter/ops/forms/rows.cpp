#include "tscatter/ops/forms/rows.hpp"

#include "tscatter/core/fail.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::forms {
namespace {

// REQUIRES: require_axis passed.
std::size_t axis_of(const Arguments& arguments) {
  return *normalize_axis(read_integers(arguments.operand("axis")).front(),
                         arguments.operand("data").rank());
}

void require_one_integer(RuleOf rule, const Tensor& axis) {
  const bool is_scalar = axis.rank() == 0 || axis.shape() == Shape{1};
  if (!is_integer(axis.type().dtype) || !is_scalar) {
    fail(ErrorKind::rule, rule.label, rule.operation,
         "axis must be an integer of rank 0 or shape [1], got {} of shape {}",
         to_string(axis.type()), to_string(axis.shape()));
  }
}

void require_axis_of(RuleOf rule, const Tensor& axis, std::size_t rank) {
  if (!normalize_axis(read_integers(axis).front(), rank)) {
    fail(ErrorKind::rule, rule.label, rule.operation,
         "axis must be in [-{0}, {0}) for data of rank {0}, got {1}", rank, integer_text(axis, 0));
  }
}

Shape updates_shape(const Shape& data, const Shape& indices, std::size_t axis) {
  const auto at = static_cast<std::ptrdiff_t>(axis);
  Shape shape(data.begin(), data.begin() + at);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), data.begin() + at + 1, data.end());
  return shape;
}

}  // namespace

void validate_rows(const Operation& operation, const Arguments& arguments) {
  const Tensor& data = arguments.operand("data");
  const Tensor& indices = arguments.operand("indices");
  const Tensor& updates = arguments.operand("updates");
  const Tensor& axis = arguments.operand("axis");
  require_rank_at_least_1(rule_of(operation, Check::data_rank), "data", data);
  require_one_integer(rule_of(operation, Check::axis_scalar), axis);
  require_axis_of(rule_of(operation, Check::axis_range), axis, data.rank());
  require_index_dtype(rule_of(operation, Check::indices_dtype), operation, indices);
  require_shape(rule_of(operation, Check::updates_shape), "updates", updates,
                updates_shape(data.shape(), indices.shape(), axis_of(arguments)),
                "data.shape[:axis] + indices.shape + data.shape[axis+1:]");
  require_dtype_of_data(rule_of(operation, Check::updates_dtype), updates, data);
}

LoweredPlan lower_rows(const Operation& operation, const Arguments& arguments,
                       const Parallelism& parallelism) {
  return lower_entries(
      operation, arguments,
      {.first = axis_of(arguments), .depth = 1, .shape = arguments.operand("indices").shape()},
      parallelism);
}

}  // namespace tscatter::forms
