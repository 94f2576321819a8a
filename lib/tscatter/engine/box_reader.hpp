// BoxReader: reads boxes of a tensor in row-major order, whatever the tensor's memory order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/core/tensor.hpp"

namespace tscatter {

class BoxReader {
 public:
  explicit BoxReader(const Tensor& tensor) : tensor_{tensor} {}

  // Fills `into` with the elements of the box, in the tensor's byte order.
  // REQUIRES: `into` has the size of the box; the box is not empty.
  void read(const Position& origin, const Shape& sizes, std::span<std::byte> into);

 private:
  // One axis of the box; strides in elements.
  struct Axis {
    std::int64_t count;
    std::int64_t from;
    std::int64_t into;
  };

  std::vector<Axis> axes_of(const Shape& sizes) const;  // the fastest in the tensor first
  std::span<const std::byte> fetch(std::int64_t element, std::int64_t count);
  void unpack(std::span<const Axis> axes, const std::byte* from, std::byte* into) const;

  const Tensor& tensor_;
  std::vector<std::byte> run_;
};

}  // namespace tscatter
