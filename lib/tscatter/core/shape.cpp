#include "tscatter/core/shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "tscatter/core/checked.hpp"

namespace tscatter {

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t dim : shape) count *= dim;
  return count;
}

bool is_addressable(const Shape& shape, std::size_t element_size) {
  auto bytes = std::optional<std::int64_t>(static_cast<std::int64_t>(element_size));
  for (const std::int64_t dim : shape) {
    if (dim == 0) continue;
    bytes = checked_multiply(*bytes, dim);
    if (!bytes) return false;
  }
  return true;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::vector<std::int64_t> strides_of(const Shape& shape, MemoryOrder order) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = order == MemoryOrder::fortran ? i : shape.size() - 1 - i;
    strides[axis] = stride;
    stride *= std::max<std::int64_t>(shape[axis], 1);
  }
  return strides;
}

Position position_of(const Shape& shape, std::int64_t index) {
  Position position(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    position[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return position;
}

std::int64_t row_major_number(const Shape& shape, const Position& at) {
  std::int64_t number = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis) number = number * shape[axis] + at[axis];
  return number;
}

std::optional<std::size_t> normalize_axis(std::int64_t axis, std::size_t rank) {
  const auto r = static_cast<std::int64_t>(rank);
  if (axis < -r || axis >= r) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + r : axis);
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  return from.size() <= to.size() &&
         std::equal(from.rbegin(), from.rend(), to.rbegin(),
                    [](std::int64_t one, std::int64_t other) { return one == other || one == 1; });
}

Position position_as_given(const Shape& given, const Shape& fitted, const Position& at) {
  const bool is_box = std::ranges::equal(fitted, given, std::less_equal());
  if (!is_box && element_count(given) >= element_count(fitted))
    return position_of(given, row_major_number(fitted, at));
  Position position(given.size(), 0);
  for (std::size_t i = 1; i <= std::min(given.size(), at.size()); ++i) {
    if (given[given.size() - i] != 1) position[given.size() - i] = at[at.size() - i];
  }
  return position;
}

std::optional<Shape> broadcast_shape(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() < b.size() ? b : a;
  const Shape& shorter = a.size() < b.size() ? a : b;
  Shape both = longer;
  const std::size_t more = longer.size() - shorter.size();
  for (std::size_t axis = 0; axis < shorter.size(); ++axis) {
    if (both[more + axis] == 1) both[more + axis] = shorter[axis];
  }
  const bool fits = broadcasts_to(a, both) && broadcasts_to(b, both);
  return fits ? std::optional(std::move(both)) : std::nullopt;
}

bool is_contiguous_both_ways(const Shape& shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
  return std::count_if(shape.begin(), shape.end(), [](std::int64_t dim) { return dim > 1; }) <= 1;
}

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
