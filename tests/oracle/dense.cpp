#include "oracle/dense.hpp"

#include <algorithm>

namespace tscatter::oracle {
namespace {

std::size_t column_major(const Shape& shape, const Position& index) {
  std::int64_t offset = 0;
  std::int64_t distance = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    offset += index[axis] * distance;
    distance *= shape[axis];
  }
  return static_cast<std::size_t>(offset);
}

// Calls visit(element, place in the layout, in bytes) for each element.
template <class Visit>
void for_each_place(const Dense& dense, Layout layout, const Visit& visit) {
  std::size_t element = 0;
  for_each_index(dense.shape, [&](const Position& index) {
    const bool is_fortran = layout.order == MemoryOrder::fortran;
    const std::size_t place = is_fortran ? column_major(dense.shape, index) : element;
    visit(element++, place * dense.type.size);
  });
}

// From native order to the layout's, or back.
void copy_element(const ElementType& type, Layout layout, const std::byte* from, std::byte* into) {
  std::copy(from, from + type.size, into);
  if (layout.byte_order == std::endian::native) return;
  const std::size_t word = info(type.dtype).word;
  for (std::size_t i = 0; i < type.size; i += word) std::reverse(into + i, into + i + word);
}

}  // namespace

std::int64_t product(std::span<const std::int64_t> dims) {
  std::int64_t result = 1;
  for (const std::int64_t dim : dims) result *= dim;
  return result;
}

std::size_t row_major(const Shape& shape, const Position& index) {
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    offset = offset * shape[axis] + index[axis];
  }
  return static_cast<std::size_t>(offset);
}

Dense Dense::zeros(const ElementType& type, const Shape& shape) {
  Dense dense{.type = type, .shape = shape, .bytes = {}};
  dense.bytes.resize(dense.count() * type.size);
  return dense;
}

std::vector<std::byte> stored(const Dense& dense, Layout layout) {
  std::vector<std::byte> bytes(dense.bytes.size());
  for_each_place(dense, layout, [&](std::size_t element, std::size_t place) {
    copy_element(dense.type, layout, dense.element(element), bytes.data() + place);
  });
  return bytes;
}

Dense loaded(const Dense& like, Layout layout, const std::vector<std::byte>& bytes) {
  Dense dense = Dense::zeros(like.type, like.shape);
  for_each_place(dense, layout, [&](std::size_t element, std::size_t place) {
    copy_element(dense.type, layout, bytes.data() + place, dense.element(element));
  });
  return dense;
}

TensorHeader header_of(const Dense& dense, Layout layout) {
  TensorHeader header{.type = dense.type, .shape = dense.shape, .order = layout.order};
  header.type.byte_order = layout.byte_order;
  return header;
}

}  // namespace tscatter::oracle
