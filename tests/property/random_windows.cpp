#include "property/random_windows.hpp"

#include <algorithm>
#include <optional>

namespace tscatter::property {
namespace {

using oracle::Dense;
using oracle::Int128;

template <class T>
void shuffle(Random& random, std::vector<T>& list) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.bits() % i]);
}

// The sizes of windows, or of entries, in the order in which updates has them.
struct UpdatesAxes {
  Shape entries;
  Shape windows;
};

void draw_roles(Random& random, const Shape& data, WindowShapes& call, UpdatesAxes& axes) {
  for (std::size_t axis = 0; axis < data.size(); ++axis) {
    const std::int64_t size = data[axis];
    const std::int64_t role = random.between(0, 5);
    const bool is_inserted = role == 0 && size > 0;
    if (is_inserted) {
      call.dims.inserted_window_dims.push_back(axis);
    } else if (role == 1) {
      call.dims.input_batching_dims.push_back(axis);
    } else {
      axes.windows.push_back(random.chance(50) ? size : random.between(0, size));
    }
    if (role != 1 && random.chance(50)) call.dims.scatter_dims_to_operand_dims.push_back(axis);
  }
  shuffle(random, call.dims.scatter_dims_to_operand_dims);
}

// Axes of indices: those of batches, others, and that of the numbers of an entry.
void draw_indices(Random& random, const Shape& data, bool is_last, WindowShapes& call,
                  UpdatesAxes& axes) {
  std::vector<std::optional<std::size_t>> roles(static_cast<std::size_t>(random.between(0, 2)));
  for (const std::size_t axis : call.dims.input_batching_dims) roles.emplace_back(axis);
  shuffle(random, roles);
  call.dims.scatter_indices_batching_dims.assign(call.dims.input_batching_dims.size(), 0);
  const auto numbers = static_cast<std::int64_t>(call.dims.scatter_dims_to_operand_dims.size());
  const auto last = static_cast<std::int64_t>(roles.size());
  const auto vector_dim = static_cast<std::size_t>(is_last ? last : random.between(0, last));
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const std::int64_t size = roles[i] ? data[*roles[i]] : random.between(0, 5);
    axes.entries.push_back(size);
    call.indices.push_back(size);
    if (!roles[i]) continue;
    const auto found = std::ranges::find(call.dims.input_batching_dims, *roles[i]);
    const auto at = static_cast<std::size_t>(found - call.dims.input_batching_dims.begin());
    call.dims.scatter_indices_batching_dims[at] = i;
  }
  call.dims.index_vector_dim = vector_dim;
  const bool is_scalar =
      !is_last && numbers == 1 && vector_dim == roles.size() && random.chance(50);
  if (is_scalar) return;
  call.indices.insert(call.indices.begin() + static_cast<std::ptrdiff_t>(vector_dim), numbers);
  for (std::size_t& axis : call.dims.scatter_indices_batching_dims)
    if (axis >= vector_dim) ++axis;
}

void draw_updates(Random& random, WindowShapes& call, const UpdatesAxes& axes) {
  std::vector<char> is_window(axes.windows.size(), 1);
  is_window.resize(axes.windows.size() + axes.entries.size(), 0);
  shuffle(random, is_window);
  std::size_t window = 0;
  std::size_t entry = 0;
  for (std::size_t axis = 0; axis < is_window.size(); ++axis) {
    if (is_window[axis] != 0) call.dims.update_window_dims.push_back(axis);
    call.updates.push_back(is_window[axis] != 0 ? axes.windows[window++] : axes.entries[entry++]);
  }
}

// How long windows are along an axis of data.
std::int64_t window_along(const WindowShapes& shapes, std::size_t axis) {
  const auto& dims = shapes.dims;
  if (std::ranges::count(dims.inserted_window_dims, axis) > 0) return 1;
  std::size_t number = 0;
  for (std::size_t before = 0; before < axis; ++before) {
    const bool is_absent = std::ranges::count(dims.inserted_window_dims, before) > 0 ||
                           std::ranges::count(dims.input_batching_dims, before) > 0;
    number += is_absent ? 0 : 1;
  }
  return shapes.updates[dims.update_window_dims[number]];
}

// An index whose window of the length is within the axis.
Int128 random_start(Random& random, DType dtype, std::int64_t size, std::int64_t window,
                    bool may_be_negative) {
  std::int64_t start = random.chance(30) ? random.among<std::int64_t>({0, size - window})
                                         : random.between(0, size - window);
  if (!oracle::fits(dtype, start)) start %= 128;
  const Int128 from_the_end = Int128{start} - size;
  const bool is_negative =
      may_be_negative && random.chance(40) && oracle::fits(dtype, from_the_end) && start < size;
  return is_negative ? from_the_end : Int128{start};
}

}  // namespace

WindowShapes random_window(Random& random, const Shape& data, std::int64_t most_updates,
                           bool is_last) {
  while (true) {
    WindowShapes call;
    UpdatesAxes axes;
    draw_roles(random, data, call, axes);
    draw_indices(random, data, is_last, call, axes);
    draw_updates(random, call, axes);
    if (oracle::product(call.updates) <= most_updates &&
        oracle::product(call.indices) <= most_updates)
      return call;
  }
}

Dense random_window_starts(Random& random, const WindowShapes& shapes, const Shape& data,
                           const ElementType& type, bool may_be_negative) {
  const auto& numbers = shapes.dims.scatter_dims_to_operand_dims;
  const std::size_t vector_dim = shapes.dims.index_vector_dim;
  const bool repeats = random.chance(50);
  std::vector<std::vector<Int128>> pools(numbers.size());
  Dense indices = Dense::zeros(type, shapes.indices);
  oracle::for_each_index(shapes.indices, [&](const Position& at) {
    const auto k = vector_dim < at.size() ? static_cast<std::size_t>(at[vector_dim]) : 0;
    const std::size_t axis = numbers[k];
    std::vector<Int128>& pool = pools[k];
    if (!repeats || pool.size() < 2)
      pool.push_back(random_start(random, type.dtype, data[axis], window_along(shapes, axis),
                                  may_be_negative));
    const Int128 start = repeats ? random.among(pool) : pool.back();
    oracle::store_integer(type.dtype, start, indices.at(at));
  });
  return indices;
}

}  // namespace tscatter::property
