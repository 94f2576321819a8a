#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::forms {
namespace {

void require_one_integer(const Operation& operation, const Tensor& axis) {
  const bool is_scalar = axis.rank() == 0 || axis.shape() == Shape{1};
  if (!is_integer(axis.type().dtype) || !is_scalar) {
    refuse(operation, Check::axis_scalar,
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
  if (const Tensor* axis = arguments.find("axis")) require_one_integer(operation, *axis);
  const std::size_t rank = arguments.operand("data").rank();
  if (!normalize_axis(given_axis(operation, arguments), rank)) {
    refuse(operation, Check::axis_range, "{2} must be in [-{0}, {0}) for {3} of rank {0}, got {1}",
           rank, axis_text(operation, arguments), operation.called("axis"),
           operation.called("data"));
  }
}

std::size_t axis_of(const Operation& operation, const Arguments& arguments) {
  return *normalize_axis(given_axis(operation, arguments), arguments.operand("data").rank());
}

}  // namespace tscatter::forms
