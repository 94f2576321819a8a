#include "tscatter/core/numbering.hpp"

#include <algorithm>

namespace tscatter {

Numbering::Numbering(const Shape& shape, MemoryOrder order)
    : order_{order}, walked_{shape}, strides_{strides_of(shape, MemoryOrder::c)} {
  if (order_ == MemoryOrder::c) return;
  std::ranges::reverse(walked_);
  std::ranges::reverse(strides_);
}

Position Numbering::position(std::int64_t number) const {
  Position position = position_of(walked_, number);
  if (order_ == MemoryOrder::fortran) std::ranges::reverse(position);
  return position;
}

std::int64_t Numbering::row_major(std::int64_t number) const {
  if (order_ == MemoryOrder::c) return number;
  std::int64_t index = 0;
  for (std::size_t axis = walked_.size(); axis-- > 0;) {
    index += number % walked_[axis] * strides_[axis];
    number /= walked_[axis];
  }
  return index;
}

}  // namespace tscatter
