#include "tscatter/plan/strided_axes.hpp"

namespace tscatter {

void StridedAxes::append(Axis axis) {
  count_ *= axis.count;
  if (axis.count == 1) return;
  if (!axes_.empty() && axes_.back().stride == axis.count * axis.stride) {
    axes_.back() = {.count = axes_.back().count * axis.count, .stride = axis.stride};
  } else {
    axes_.push_back(axis);
  }
}

std::int64_t StridedAxes::offset(std::int64_t index) const {
  if (is_linear()) return index * stride();
  std::int64_t offset = 0;
  for (std::size_t i = axes_.size(); i-- > 0;) {
    offset += index % axes_[i].count * axes_[i].stride;
    index /= axes_[i].count;
  }
  return offset;
}

}  // namespace tscatter
