#include "oracle/window.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "tscatter/core/fail.hpp"

namespace tscatter::oracle {
namespace {

using forms::WindowDims;

constexpr std::span<const std::string_view, 5> lists(dims_operands.data(), 5);
constexpr std::string_view vector_dim = dims_operands.back();
// What the axes of a list are of.
constexpr std::array<std::string_view, 5> tensors{"updates", "data", "data", "indices", "data"};

bool is_in(const std::vector<std::size_t>& axes, std::size_t axis) {
  return std::ranges::count(axes, axis) > 0;
}

bool is_given(const Call& call, std::string_view name) { return call.operands.contains(name); }

// Without elements if the call leaves it out.
Dense list_of(const Call& call, std::string_view name) {
  return is_given(call, name) ? call.operand(name)
                              : Dense::zeros(ElementType::of(DType::int64), {0});
}

std::vector<std::size_t> axes_in(const Call& call, std::string_view name) {
  const Dense list = list_of(call, name);
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < list.count(); ++i)
    axes.push_back(static_cast<std::size_t>(integer_at(list, i)));
  return axes;
}

bool has_axes_outside(const Dense& list, std::size_t count) {
  for (std::size_t i = 0; i < list.count(); ++i) {
    const Int128 axis = integer_at(list, i);
    if (axis < 0 || axis >= static_cast<Int128>(count)) return true;
  }
  return false;
}

bool has_twice(const std::vector<std::size_t>& one, const std::vector<std::size_t>& other) {
  std::set<std::size_t> all(one.begin(), one.end());
  all.insert(other.begin(), other.end());
  return all.size() < one.size() + other.size();
}

bool is_distinct(const WindowDims& dims) {
  const auto& window = dims.update_window_dims;
  for (std::size_t i = 1; i < window.size(); ++i) {
    if (window[i] <= window[i - 1]) return false;
  }
  return !has_twice(dims.inserted_window_dims, dims.input_batching_dims) &&
         !has_twice(dims.scatter_dims_to_operand_dims, dims.input_batching_dims) &&
         !has_twice(dims.scatter_indices_batching_dims, {dims.index_vector_dim});
}

bool is_counted(const WindowDims& dims, const Shape& data, const Shape& indices) {
  const std::size_t of_data = dims.update_window_dims.size() + dims.inserted_window_dims.size() +
                              dims.input_batching_dims.size();
  const std::int64_t numbers =
      dims.index_vector_dim == indices.size() ? 1 : indices[dims.index_vector_dim];
  return of_data == data.size() &&
         static_cast<std::int64_t>(dims.scatter_dims_to_operand_dims.size()) == numbers &&
         dims.scatter_indices_batching_dims.size() == dims.input_batching_dims.size();
}

bool goes_along(const WindowDims& dims, const Shape& data, const Shape& indices) {
  for (std::size_t i = 0; i < dims.input_batching_dims.size(); ++i) {
    if (data[dims.input_batching_dims[i]] != indices[dims.scatter_indices_batching_dims[i]])
      return false;
  }
  return true;
}

// How long windows are along each axis of data.
Shape window_sizes(const Call& call, const WindowAxes& axes) {
  Shape sizes;
  for (const auto& along : axes.along)
    sizes.push_back(along ? call.operand("updates").shape[*along] : 1);
  return sizes;
}

bool has_shape_of_updates(const Call& call, const WindowDims& dims) {
  const Shape& data = call.operand("data").shape;
  const Shape& updates = call.operand("updates").shape;
  Shape entries = call.operand("indices").shape;
  if (dims.index_vector_dim < entries.size())
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(dims.index_vector_dim));
  Shape windows;
  for (std::size_t axis = 0; axis < data.size(); ++axis) {
    if (!is_in(dims.inserted_window_dims, axis) && !is_in(dims.input_batching_dims, axis))
      windows.push_back(data[axis]);
  }
  if (updates.size() != entries.size() + windows.size()) return false;
  std::size_t entry = 0;
  std::size_t window = 0;
  for (std::size_t axis = 0; axis < updates.size(); ++axis) {
    const bool is_window = is_in(dims.update_window_dims, axis);
    if (is_window ? updates[axis] > windows[window++] : updates[axis] != entries[entry++])
      return false;
  }
  return product(updates) == 0 ||
         std::ranges::none_of(dims.inserted_window_dims, [&](std::size_t axis) {
           return data[axis] == 0 && !is_in(dims.scatter_dims_to_operand_dims, axis);
         });
}

// Number k of the index entry at that place.
Position place_of_number(const Call& call, const WindowDims& dims, Position at, std::size_t k) {
  if (dims.index_vector_dim < call.operand("indices").shape.size()) {
    at.insert(at.begin() + static_cast<std::ptrdiff_t>(dims.index_vector_dim),
              static_cast<std::int64_t>(k));
  }
  return at;
}

// Where along an axis a window of `length` begins, and the place in it.
struct Along {
  Int128 start;
  Int128 within;
  Int128 length;
  Int128 size;

  bool fits() const { return start >= 0 && start + length <= size; }
};

Int128 start_at(const Call& call, const Position& at, std::int64_t size) {
  const Dense& indices = call.operand("indices");
  const Int128 index = load_integer(indices.type.dtype, indices.at(at));
  const bool wraps = call.policies().negative == NegativeIndex::from_the_end;
  return wraps && index < 0 && index >= -Int128{size} ? index + size : index;
}

// Whether the policy has no answer.
bool is_refused(OutsideIndex policy, const Along& along) {
  if (along.fits()) return false;
  switch (policy) {
    case OutsideIndex::error: return true;
    case OutsideIndex::drop_window:
    case OutsideIndex::drop_elements: return false;
    case OutsideIndex::clip_start:
    case OutsideIndex::clip_index:
    case OutsideIndex::modulo: return along.length > along.size;
  }
  unreachable();
}

// nullopt: the element is dropped.
std::optional<std::int64_t> coordinate_of(OutsideIndex policy, const Along& along) {
  const auto& [start, within, length, size] = along;
  if (along.fits()) return static_cast<std::int64_t>(start + within);
  switch (policy) {
    case OutsideIndex::error:
    case OutsideIndex::drop_window: return std::nullopt;
    case OutsideIndex::drop_elements:
      if (start + within < 0 || start + within >= size) return std::nullopt;
      return static_cast<std::int64_t>(start + within);
    case OutsideIndex::clip_start:
      return static_cast<std::int64_t>(std::clamp(start, Int128{0}, size - length) + within);
    case OutsideIndex::clip_index:
      return static_cast<std::int64_t>(std::clamp(start + within, Int128{0}, size - 1));
    case OutsideIndex::modulo:
      return static_cast<std::int64_t>(((start + within) % size + size) % size);
  }
  unreachable();
}

// Whether all windows are as long as data along the axis, and none is moved.
bool is_whole(const Call& call, const WindowAxes& axes, std::size_t axis) {
  return axes.along[axis] && !is_in(axes.dims.scatter_dims_to_operand_dims, axis) &&
         call.operand("updates").shape[*axes.along[axis]] == call.operand("data").shape[axis];
}

}  // namespace

WindowDims window_dims(const Call& call) {
  if (call.row().form == Form::block) {
    WindowDims dims;
    for (std::size_t axis = 0; axis < call.operand("data").shape.size(); ++axis) {
      dims.update_window_dims.push_back(axis);
      dims.scatter_dims_to_operand_dims.push_back(axis);
    }
    return dims;
  }
  return {.update_window_dims = axes_in(call, lists[0]),
          .inserted_window_dims = axes_in(call, lists[1]),
          .input_batching_dims = axes_in(call, lists[2]),
          .scatter_indices_batching_dims = axes_in(call, lists[3]),
          .scatter_dims_to_operand_dims = axes_in(call, lists[4]),
          .index_vector_dim = window_vector_dim(call)};
}

std::size_t window_vector_dim(const Call& call) {
  if (is_given(call, vector_dim))
    return static_cast<std::size_t>(integer_at(call.operand(vector_dim), 0));
  // It is the last axis where an operation does not ask for it.
  if (call.row().find_operand(vector_dim) == nullptr)
    return call.operand("indices").shape.size() - 1;
  return 0;
}

void put_dims(Call& call, const WindowDims& dims) {
  const std::array all{&dims.update_window_dims, &dims.inserted_window_dims,
                       &dims.input_batching_dims, &dims.scatter_indices_batching_dims,
                       &dims.scatter_dims_to_operand_dims};
  const auto type = ElementType::of(DType::int64);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    Dense list = Dense::zeros(type, {static_cast<std::int64_t>(all[i]->size())});
    for (std::size_t k = 0; k < all[i]->size(); ++k)
      store_integer(DType::int64, static_cast<Int128>((*all[i])[k]), list.element(k));
    call.operands.insert_or_assign(std::string(lists[i]), list);
  }
  if (call.row().find_operand(vector_dim) == nullptr) return;
  Dense number = Dense::zeros(type, {});
  store_integer(DType::int64, static_cast<Int128>(dims.index_vector_dim), number.element(0));
  call.operands.insert_or_assign(std::string(vector_dim), number);
}

std::optional<Check> broken_lists(const Call& call) {
  for (const std::string_view name : lists) {
    const Dense list = list_of(call, name);
    if (list.shape.size() != 1) return Check::list_rank;
    if (!is_integer(list.type.dtype)) return Check::list_dtype;
  }
  if (!is_given(call, vector_dim)) return std::nullopt;
  const Dense& number = call.operand(vector_dim);
  if (!number.shape.empty() && number.shape != Shape{1}) return Check::list_rank;
  if (!is_integer(number.type.dtype)) return Check::list_dtype;
  return std::nullopt;
}

std::optional<Check> broken_dims(const Call& call) {
  const Shape& data = call.operand("data").shape;
  const Shape& indices = call.operand("indices").shape;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (has_axes_outside(list_of(call, lists[i]), call.operand(tensors[i]).shape.size()))
      return Check::dims_range;
  }
  if (call.row().find_operand(vector_dim) == nullptr && indices.empty()) return Check::dims_range;
  if (is_given(call, vector_dim) && has_axes_outside(call.operand(vector_dim), indices.size() + 1))
    return Check::dims_range;
  const WindowDims dims = window_dims(call);
  if (!is_distinct(dims)) return Check::dims_distinct;
  if (!is_counted(dims, data, indices)) return Check::dims_count;
  if (!goes_along(dims, data, indices)) return Check::batching_sizes;
  if (!has_shape_of_updates(call, dims)) return Check::updates_shape;
  return std::nullopt;
}

WindowAxes window_axes(const Call& call) {
  const std::size_t rank = call.operand("data").shape.size();
  WindowAxes axes{.dims = window_dims(call), .along = {}, .of_entries = {}, .entries = {}};
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const bool is_absent =
        is_in(axes.dims.inserted_window_dims, axis) || is_in(axes.dims.input_batching_dims, axis);
    axes.along.push_back(is_absent ? std::nullopt
                                   : std::optional(axes.dims.update_window_dims[next++]));
  }
  std::size_t end = rank;
  while (end > 0 && is_whole(call, axes, end - 1)) --end;
  while (axes.first < end && is_whole(call, axes, axes.first)) ++axes.first;
  axes.depth = end - axes.first;
  if (axes.depth == 0) axes.first = 0;
  const Shape& updates = call.operand("updates").shape;
  for (std::size_t axis = 0; axis < updates.size(); ++axis) {
    const auto found = std::ranges::find(axes.along, std::optional(axis));
    const auto at = static_cast<std::size_t>(found - axes.along.begin());
    if (at < rank && (at < axes.first || at >= axes.first + axes.depth)) continue;
    axes.of_entries.push_back(axis);
    axes.entries.push_back(updates[axis]);
  }
  return axes;
}

Position window_update(const WindowAxes& axes, const Position& before, const Position& entry,
                       const Position& after) {
  Position update(before.size() + entry.size() + after.size(), 0);
  for (std::size_t i = 0; i < entry.size(); ++i) update[axes.of_entries[i]] = entry[i];
  for (std::size_t i = 0; i < before.size(); ++i) update[*axes.along[i]] = before[i];
  for (std::size_t i = 0; i < after.size(); ++i)
    update[*axes.along[axes.first + axes.depth + i]] = after[i];
  return update;
}

Position window_place(const WindowAxes& axes, const Position& entry) {
  Position place;
  for (std::size_t i = 0; i < entry.size(); ++i) {
    if (!is_in(axes.dims.update_window_dims, axes.of_entries[i])) place.push_back(entry[i]);
  }
  return place;
}

std::optional<Position> window_coordinates(const Call& call, const WindowAxes& axes,
                                           const Position& entry) {
  const WindowDims& dims = axes.dims;
  const Shape& data = call.operand("data").shape;
  const Shape sizes = window_sizes(call, axes);
  const Position place = window_place(axes, entry);
  Position starts(data.size(), 0);
  for (std::size_t i = 0; i < dims.input_batching_dims.size(); ++i) {
    const std::size_t axis = dims.scatter_indices_batching_dims[i];
    starts[dims.input_batching_dims[i]] = place_of_number(call, dims, place, 0)[axis];
  }
  Position coordinates;
  for (std::size_t axis = axes.first; axis < axes.first + axes.depth; ++axis) {
    Along along{.start = starts[axis], .within = 0, .length = sizes[axis], .size = data[axis]};
    const auto moved = std::ranges::find(dims.scatter_dims_to_operand_dims, axis);
    if (moved != dims.scatter_dims_to_operand_dims.end()) {
      const auto k = static_cast<std::size_t>(moved - dims.scatter_dims_to_operand_dims.begin());
      along.start = start_at(call, place_of_number(call, dims, place, k), data[axis]);
      if (drops_negative(call, along.start)) return std::nullopt;
    }
    const auto loop = std::ranges::find(axes.of_entries, axes.along[axis].value_or(SIZE_MAX));
    if (loop != axes.of_entries.end())
      along.within = entry[static_cast<std::size_t>(loop - axes.of_entries.begin())];
    const auto coordinate = coordinate_of(call.policies().outside, along);
    if (!coordinate) return std::nullopt;
    coordinates.push_back(*coordinate);
  }
  return coordinates;
}

std::optional<Position> first_wrong_window(const Call& call) {
  const WindowAxes axes = window_axes(call);
  const Shape& data = call.operand("data").shape;
  const Shape sizes = window_sizes(call, axes);
  const std::size_t number = axes.dims.index_vector_dim;
  std::optional<Position> first;
  for_each_index(call.operand("indices").shape, [&](const Position& at) {
    const std::size_t k = number < at.size() ? static_cast<std::size_t>(at[number]) : 0;
    const std::size_t axis = axes.dims.scatter_dims_to_operand_dims[k];
    const Along along{.start = start_at(call, at, data[axis]),
                      .within = 0,
                      .length = sizes[axis],
                      .size = data[axis]};
    const bool is_dropped = drops_negative(call, along.start);
    if (!first && !is_dropped && is_refused(call.policies().outside, along)) first = at;
  });
  return first;
}

}  // namespace tscatter::oracle
