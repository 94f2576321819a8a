#include <algorithm>
#include <vector>

#include "tscatter/core/unreachable.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter::forms {
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
