#include <algorithm>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/ops/policies.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter::forms {
namespace {

// Whether the form has the operand, which is not required of every call.
bool has_operand(Form form, std::string_view operand) {
  switch (form) {
    case Form::rows:
    case Form::elements: return operand == "axis";
    case Form::window: return operand != "axis";
    case Form::nd:
    case Form::start:
    case Form::slice:
    case Form::batched_rows:
    case Form::index:
    case Form::flat:
    case Form::mask:
    case Form::section:
    case Form::diagonal:
    case Form::segment:
    case Form::block: return false;
  }
  unreachable();
}

std::string_view word_of_form(const Operation& operation) {
  const PolicyInfo& policy = info(Policy::form);
  return policy.words[policy.word(operation)].word;
}

}  // namespace

void require_operands_of_form(const Operation& operation, const Arguments& arguments) {
  if (!operation.unanswered.contains(Policy::form)) return;
  for (const OperandInfo& operand : operation.operands) {
    if (operand.presence == Presence::required) continue;
    const bool is_given = arguments.find(operand.name) != nullptr;
    const bool is_wanted = has_operand(operation.form, operand.name);
    // operation.o1
    if (is_wanted && !is_given) {
      fail(ErrorKind::usage, "operation.o1", operation.id, "{} is missing", operand.name);
    }
    // operation.o2
    if (is_given && !is_wanted) {
      fail(ErrorKind::usage, "operation.o2", operation.id,
           "{} must be left out: the form {} has none", operand.name, word_of_form(operation));
    }
  }
}

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

namespace {

// NumPy's assignment takes more axes of length 1 in front.
Shape without_leading_ones(const Shape& shape, std::size_t rank) {
  auto begin = shape.begin();
  while (static_cast<std::size_t>(shape.end() - begin) > rank && *begin == 1) ++begin;
  return {begin, shape.end()};
}

// The first elements along each axis.
Tensor first_of(const Tensor& tensor, const Shape& shape) {
  if (tensor.shape() == shape) return tensor;
  const std::vector<std::int64_t> strides = strides_of(tensor.shape(), tensor.order());
  std::vector<ViewAxis> axes;
  for (std::size_t i = 0; i < strides.size(); ++i)
    axes.push_back({.count = shape[i], .stride = strides[i]});
  return strided_view(tensor, 0, axes, tensor.name());
}

// The first elements in row-major order. REQUIRES: there are as many.
Tensor first_elements(const Tensor& tensor, const Shape& shape) {
  const Tensor flat = reshaped(tensor, {tensor.count()});
  return reshaped(first_of(flat, {element_count(shape)}), shape);
}

// The elements in row-major order, and again from the first. REQUIRES: there are some, or none are
// wanted.
Tensor repeated_elements(const Tensor& tensor, const Shape& shape) {
  const std::int64_t wanted = element_count(shape);
  const std::int64_t count = tensor.count();
  if (count >= wanted) return first_elements(tensor, shape);
  const std::int64_t rounds = (wanted + count - 1) / count;
  return first_elements(broadcast_to(reshaped(tensor, {count}), {rounds, count}), shape);
}

class UpdatesFitting {
 public:
  UpdatesFitting(const Operation& operation, const Tensor& updates, const RequiredShape& required)
      : operation_{operation}, updates_{updates}, required_{required} {}

  Tensor fitted() const {
    switch (operation_.updates_shape) {
      case UpdatesShape::exact: return exactly();
      case UpdatesShape::one_element:
        return required_.shape.empty() && updates_.count() == 1 ? updates_ : exactly();
      case UpdatesShape::broadcast: return broadcast(updates_);
      case UpdatesShape::broadcast_ones:
        return broadcast(
            reshaped(updates_, without_leading_ones(updates_.shape(), required_.shape.size())));
      case UpdatesShape::box: return box("");
      case UpdatesShape::box_or_fill:
        return updates_.rank() == 0 ? fill() : box(", or have rank 0");
      case UpdatesShape::fill: return fill();
      case UpdatesShape::as_many: return elements(updates_.count() == count(), "as many");
      case UpdatesShape::at_least: return elements(updates_.count() >= count(), "at least as many");
      case UpdatesShape::repeat: return repeat();
    }
    unreachable();
  }

 private:
  std::int64_t count() const { return element_count(required_.shape); }

  Tensor exactly() const {
    require_shape(operation_, Check::updates_shape, operation_.called("updates"), updates_,
                  required_.shape, required_.formula, required_.hint);
    return updates_;
  }

  Tensor broadcast(const Tensor& updates) const {
    if (broadcasts_to(updates.shape(), required_.shape))
      return broadcast_to(updates, required_.shape);
    refuse(fmt::format("broadcast to {}, {}", to_string(required_.shape), required_.formula));
  }

  Tensor box(std::string_view otherwise) const {
    const bool is_inside = std::ranges::equal(required_.shape, updates_.shape(), std::less_equal());
    if (is_inside) return first_of(updates_, required_.shape);
    refuse(fmt::format("be as long as {}, {}, or longer along each axis{}",
                       to_string(required_.shape), required_.formula, otherwise));
  }

  Tensor fill() const {
    if (updates_.rank() == 0) return broadcast_to(updates_, required_.shape);
    refuse("have rank 0, one value for all");
  }

  Tensor elements(bool has_enough, std::string_view how_many) const {
    if (has_enough) return first_elements(updates_, required_.shape);
    refuse(fmt::format("have {} elements as {}, {}", how_many, required_.formula, count()));
  }

  Tensor repeat() const {
    if (count() == 0 || updates_.count() > 0) return repeated_elements(updates_, required_.shape);
    refuse(fmt::format("have an element or more (places to write: {})", count()));
  }

  [[noreturn]] void refuse(const std::string& must) const {
    tscatter::refuse(operation_, Check::updates_shape, "{} must {}, got {}",
                     operation_.called("updates"), must, to_string(updates_.shape()));
  }

  const Operation& operation_;
  const Tensor& updates_;
  const RequiredShape& required_;
};

}  // namespace

void fit_updates(const Operation& operation, Arguments& arguments, const RequiredShape& required) {
  Tensor& updates = arguments.operands.find("updates")->second;
  if (arguments.is_prepared && updates.shape() == required.shape) return;
  updates = UpdatesFitting(operation, updates, required).fitted();
}

}  // namespace tscatter::forms
