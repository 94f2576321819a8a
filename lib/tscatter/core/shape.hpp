// Shapes, memory orders, positions, and the basic items of an index.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tscatter {

using Shape = std::vector<std::int64_t>;     // sizes of the axes, each >= 0
using Position = std::vector<std::int64_t>;  // an index for each axis, from 0

inline constexpr std::size_t max_rank = 64;

enum class MemoryOrder : std::uint8_t { c, fortran };  // c: the last axis is contiguous

// Items of NumPy's index that are no tensor.
struct IntegerItem {
  std::int64_t index;
};
struct SliceItem {
  std::optional<std::int64_t> start = std::nullopt;
  std::optional<std::int64_t> stop = std::nullopt;
  std::optional<std::int64_t> step = std::nullopt;
};
struct EllipsisItem {};  // as many whole axes as are missing
struct NewAxisItem {};

using BasicItem = std::variant<IntegerItem, SliceItem, EllipsisItem, NewAxisItem>;

// The product of the sizes, 1 for rank 0. REQUIRES: is_addressable().
std::int64_t element_count(const Shape& shape);

// Whether the product of the nonzero sizes, and that times `element_size` bytes, are below 2^63.
bool is_addressable(const Shape& shape, std::size_t element_size);

// "[2, 5]", "[3]", "[]".
std::string to_string(const Shape& shape);

// The distance in elements between neighbours along each axis, for a contiguous tensor in the given
// order.
std::vector<std::int64_t> strides_of(const Shape& shape, MemoryOrder order);

// The position of the element with this row-major index. REQUIRES: 0 <= index <
// element_count(shape).
Position position_of(const Shape& shape, std::int64_t index);

// The same the other way round.
std::int64_t row_major_number(const Shape& shape, const Position& at);

// An axis given as -r … r-1, as 0 … r-1; nullopt if it is outside.
std::optional<std::size_t> normalize_axis(std::int64_t axis, std::size_t rank);

// Whether a tensor of one shape can be repeated to the other, as NumPy broadcasts: counted from the
// last axis, sizes are the same or 1.
bool broadcasts_to(const Shape& from, const Shape& to);

// The position in a tensor of the shape `given` of what is at `at` where it was fitted to another
// shape: repeated as NumPy broadcasts, its first elements along each axis taken, or its first ones
// in row-major order.
Position position_as_given(const Shape& given, const Shape& fitted, const Position& at);

// The shape to which tensors of both shapes are repeated; nullopt if there is none.
std::optional<Shape> broadcast_shape(const Shape& a, const Shape& b);

// Whether row-major and column-major order are the same for this shape.
bool is_contiguous_both_ways(const Shape& shape);

// ---- Numbering: numbers elements in the order of their file, in which they are visited, and finds
// an element's position from its number.

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

// ---- The positions that a slice counts along one axis.

// first, first + step, …: `count` of them.
struct SliceRange {
  std::int64_t first;
  std::int64_t step;
  std::int64_t count;
};

// The positions of Python's range(*slice(start, stop, step).indices(size)). REQUIRES: step is not
// 0.
inline SliceRange clamp_slice(std::int64_t start, std::int64_t stop, std::int64_t step,
                              std::int64_t size) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  step = std::max(step, -largest);
  const std::int64_t lowest = step > 0 ? 0 : -1;
  const std::int64_t highest = step > 0 ? size : size - 1;
  const auto clamped = [&](std::int64_t value) {
    return std::clamp(value < 0 ? value + size : value, lowest, highest);
  };
  const std::int64_t first = clamped(start);
  const std::int64_t end = clamped(stop);
  const std::int64_t distance = step > 0 ? end - first : first - end;
  const std::int64_t stride = step > 0 ? step : -step;
  return {.first = first, .step = step, .count = distance > 0 ? (distance - 1) / stride + 1 : 0};
}

// The same where a number may be left out: as Python's slice.
inline SliceRange clamp_slice(std::optional<std::int64_t> start, std::optional<std::int64_t> stop,
                              std::int64_t step, std::int64_t size) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  return clamp_slice(start.value_or(step > 0 ? 0 : largest),
                     stop.value_or(step > 0 ? largest : lowest), step, size);
}

}  // namespace tscatter
