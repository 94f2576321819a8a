#include "tscatter/core/fail.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::forms {
namespace {

void require_one_integer(RuleOf rule, const Tensor& axis) {
  const bool is_scalar = axis.rank() == 0 || axis.shape() == Shape{1};
  if (!is_integer(axis.type().dtype) || !is_scalar) {
    fail(ErrorKind::rule, rule.label, rule.operation,
         "axis must be an integer of rank 0 or shape [1], got {} of shape {}",
         to_string(axis.type()), to_string(axis.shape()));
  }
}

auto given_axis(const Operation& operation, const Arguments& arguments) {
  const Tensor* axis = arguments.find("axis");
  return axis == nullptr ? operation.attribute<std::int64_t>(arguments.attributes, "axis")
                         : read_integers(*axis).front();
}

std::string axis_text(const Operation& operation, const Arguments& arguments) {
  const Tensor* axis = arguments.find("axis");
  return axis == nullptr ? std::to_string(given_axis(operation, arguments))
                         : integer_text(*axis, 0);
}

}  // namespace

void require_axis(const Operation& operation, const Arguments& arguments) {
  if (const Tensor* axis = arguments.find("axis"))
    require_one_integer(rule_of(operation, Check::axis_scalar), *axis);
  const RuleOf rule = rule_of(operation, Check::axis_range);
  const std::size_t rank = arguments.operand("data").rank();
  if (!normalize_axis(given_axis(operation, arguments), rank)) {
    fail(ErrorKind::rule, rule.label, rule.operation,
         "{2} must be in [-{0}, {0}) for {3} of rank {0}, got {1}", rank,
         axis_text(operation, arguments), operation.called("axis"), operation.called("data"));
  }
}

std::size_t axis_of(const Operation& operation, const Arguments& arguments) {
  return *normalize_axis(given_axis(operation, arguments), arguments.operand("data").rank());
}

}  // namespace tscatter::forms
