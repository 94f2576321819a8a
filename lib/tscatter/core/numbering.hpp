// Numbering: numbers elements in the order of their file, in which they are visited, and finds an
// element's position from its number.
#pragma once

#include <cstdint>

#include "tscatter/core/shape.hpp"

namespace tscatter {

class Numbering {
 public:
  Numbering(const Shape& shape, MemoryOrder order);

  // The sizes of the axes, from the slowest to the fastest as the numbers ascend.
  const Shape& walked_shape() const { return walked_; }
  std::size_t axis_of(std::size_t walked) const {
    return order_ == MemoryOrder::c ? walked : walked_.size() - 1 - walked;
  }

  bool is_row_major() const { return order_ == MemoryOrder::c; }
  Position position(std::int64_t number) const;
  std::int64_t row_major(std::int64_t number) const;

  // Whether a precedes b in row-major order.
  bool is_before(std::int64_t a, std::int64_t b) const {
    return order_ == MemoryOrder::c ? a < b : row_major(a) < row_major(b);
  }

 private:
  MemoryOrder order_;
  Shape walked_;
  std::vector<std::int64_t> strides_;  // in row-major order, of the walked axes
};

}  // namespace tscatter
