// The oracle's model of a tensor: all elements in row-major order, each in native byte order; and
// the layout of such a tensor in a file. Shares only the dtype table and the types of shapes with
// the library.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::oracle {

std::int64_t product(std::span<const std::int64_t> dims);

// The row-major number of the element at an index.
std::size_t row_major(const Shape& shape, const Position& index);

struct Dense {
  ElementType type;  // native byte order
  Shape shape;
  std::vector<std::byte> bytes;

  static Dense zeros(const ElementType& type, const Shape& shape);

  std::size_t count() const { return static_cast<std::size_t>(product(shape)); }
  std::byte* element(std::size_t i) { return bytes.data() + i * type.size; }
  const std::byte* element(std::size_t i) const { return bytes.data() + i * type.size; }
  std::byte* at(const Position& index) { return element(row_major(shape, index)); }
  const std::byte* at(const Position& index) const { return element(row_major(shape, index)); }
};

// Calls visit(index) for each index into `shape` in row-major order, as numpy.ndindex does: once,
// with an empty index, for rank 0.
template <class Visit>
void for_each_index(const Shape& shape, const Visit& visit) {
  if (product(shape) == 0) return;
  Position index(shape.size(), 0);
  while (true) {
    visit(index);
    std::size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

struct Layout {
  MemoryOrder order = MemoryOrder::c;
  std::endian byte_order = std::endian::native;
};

// The tensor's bytes as a file of that layout holds them.
std::vector<std::byte> stored(const Dense& dense, Layout layout);

// The reverse: `bytes` as a tensor with the dtype and shape of `like`.
Dense loaded(const Dense& like, Layout layout, const std::vector<std::byte>& bytes);

TensorHeader header_of(const Dense& dense, Layout layout);

}  // namespace tscatter::oracle
