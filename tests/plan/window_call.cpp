#include "plan/window_call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "oracle/dense.hpp"
#include "tscatter/io/files/owned_source.hpp"

namespace tscatter {
namespace {

using oracle::for_each_index;
using property::Random;

bool is_in(const std::vector<std::size_t>& axes, std::size_t axis) {
  return std::ranges::count(axes, axis) > 0;
}

// ---- The oracle.

// The position in indices of number k of the entry that the position in updates belongs to.
Position place_in_indices(const WindowCall& call, const Position& update, std::size_t k) {
  Position at;
  for (std::size_t axis = 0; axis < update.size(); ++axis)
    if (!is_in(call.dims.update_window_dims, axis)) at.push_back(update[axis]);
  if (call.dims.index_vector_dim < call.indices.size()) {
    at.insert(at.begin() + static_cast<std::ptrdiff_t>(call.dims.index_vector_dim),
              static_cast<std::int64_t>(k));
  }
  return at;
}

// How long windows are along each axis of data, and where in its window the update stands.
void walk_window(const WindowCall& call, const Position& update, Shape& sizes, Position& within) {
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < call.data.size(); ++axis) {
    const bool is_absent =
        is_in(call.dims.inserted_window_dims, axis) || is_in(call.dims.input_batching_dims, axis);
    const std::size_t in_updates = is_absent ? 0 : call.dims.update_window_dims[next++];
    sizes.push_back(is_absent ? 1 : call.updates[in_updates]);
    within.push_back(is_absent ? 0 : update[in_updates]);
  }
}

// Where the update goes; nullopt: nowhere.
std::optional<Position> element_of(const WindowCall& call, const Position& update) {
  Shape sizes;
  Position element;
  walk_window(call, update, sizes, element);
  const std::size_t rank = call.data.size();
  Position start(rank, 0);
  for (std::size_t k = 0; k < call.dims.scatter_dims_to_operand_dims.size(); ++k) {
    const Position at = place_in_indices(call, update, k);
    start[call.dims.scatter_dims_to_operand_dims[k]] =
        call.index_values[oracle::row_major(call.indices, at)];
  }
  for (std::size_t i = 0; i < call.dims.input_batching_dims.size(); ++i) {
    std::size_t axis = call.dims.scatter_indices_batching_dims[i];
    const Position at = place_in_indices(call, update, 0);
    start[call.dims.input_batching_dims[i]] = at[axis];
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t last = call.data[axis] - sizes[axis];
    std::int64_t begin = start[axis];
    const bool fits = begin >= 0 && begin <= last;
    if (!fits && call.policies.outside == OutsideIndex::drop_window) return std::nullopt;
    if (!fits && call.policies.outside == OutsideIndex::clip_start)
      begin = std::clamp<std::int64_t>(begin, 0, last);
    element[axis] += begin;
    if (call.policies.outside == OutsideIndex::modulo)
      element[axis] = (element[axis] % call.data[axis] + call.data[axis]) % call.data[axis];
    if (element[axis] < 0 || element[axis] >= call.data[axis]) return std::nullopt;
  }
  return element;
}

// ---- Random dimension numbers.

template <class T>
void shuffle(Random& random, std::vector<T>& list) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.bits() % i]);
}

// The sizes of windows, or of batches, in the order in which updates has them.
struct UpdatesAxes {
  Shape scatter;
  Shape window;
};

void draw_roles(Random& random, WindowCall& call, UpdatesAxes& axes) {
  for (std::size_t axis = 0; axis < call.data.size(); ++axis) {
    const std::int64_t role = random.between(0, 5);
    if (role == 0) {
      call.dims.inserted_window_dims.push_back(axis);
    } else if (role == 1) {
      call.dims.input_batching_dims.push_back(axis);
    } else {
      const std::int64_t size = call.data[axis];
      axes.window.push_back(random.chance(50) ? size : random.between(0, size));
    }
    if (role != 1 && random.chance(50)) call.dims.scatter_dims_to_operand_dims.push_back(axis);
  }
  shuffle(random, call.dims.scatter_dims_to_operand_dims);
}

// Axes of indices: those of batches, others, and that of the numbers of an entry.
void draw_indices(Random& random, WindowCall& call, UpdatesAxes& axes) {
  std::vector<std::optional<std::size_t>> roles(static_cast<std::size_t>(random.between(0, 2)));
  for (const std::size_t axis : call.dims.input_batching_dims) roles.emplace_back(axis);
  shuffle(random, roles);
  call.dims.scatter_indices_batching_dims.assign(call.dims.input_batching_dims.size(), 0);
  const auto components = static_cast<std::int64_t>(call.dims.scatter_dims_to_operand_dims.size());
  const auto vector_dim =
      static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(roles.size())));
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const std::int64_t size = roles[i] ? call.data[*roles[i]] : random.between(0, 4);
    axes.scatter.push_back(size);
    call.indices.push_back(size);
    if (!roles[i]) continue;
    const auto found = std::ranges::find(call.dims.input_batching_dims, *roles[i]);
    const auto at = static_cast<std::size_t>(found - call.dims.input_batching_dims.begin());
    call.dims.scatter_indices_batching_dims[at] = i;
  }
  call.dims.index_vector_dim = vector_dim;
  const bool is_scalar = components == 1 && vector_dim == roles.size() && random.chance(50);
  if (is_scalar) return;
  call.indices.insert(call.indices.begin() + static_cast<std::ptrdiff_t>(vector_dim), components);
  for (std::size_t& axis : call.dims.scatter_indices_batching_dims)
    if (axis >= vector_dim) ++axis;
}

void draw_updates(Random& random, WindowCall& call, const UpdatesAxes& axes) {
  std::vector<bool> is_window(axes.window.size(), true);
  is_window.resize(axes.window.size() + axes.scatter.size(), false);
  for (std::size_t i = is_window.size(); i > 1; --i) {
    const std::size_t other = random.bits() % i;
    const bool swapped = is_window[other];
    is_window[other] = is_window[i - 1];
    is_window[i - 1] = swapped;
  }
  std::size_t window = 0;
  std::size_t scatter = 0;
  for (std::size_t axis = 0; axis < is_window.size(); ++axis) {
    if (is_window[axis]) call.dims.update_window_dims.push_back(axis);
    call.updates.push_back(is_window[axis] ? axes.window[window++] : axes.scatter[scatter++]);
  }
}

}  // namespace

std::vector<std::int32_t> expected(const WindowCall& call, Reduction reduction) {
  std::vector<std::int32_t> output(static_cast<std::size_t>(element_count(call.data)), -1);
  std::int32_t value = 0;
  for_each_index(call.updates, [&](const Position& update) {
    ++value;
    const auto element = element_of(call, update);
    if (!element) return;
    std::int32_t& place = output[oracle::row_major(call.data, *element)];
    place = reduction == Reduction::sum ? place + value : value;
  });
  return output;
}

WindowCall random_window_call(property::Random& random) {
  WindowCall call;
  const std::int64_t rank = random.between(1, 4);
  for (std::int64_t axis = 0; axis < rank; ++axis) call.data.push_back(random.between(1, 5));
  UpdatesAxes axes;
  draw_roles(random, call, axes);
  draw_indices(random, call, axes);
  draw_updates(random, call, axes);
  call.policies.outside = random.among({OutsideIndex::drop_window, OutsideIndex::drop_elements,
                                        OutsideIndex::clip_start, OutsideIndex::modulo});
  for (std::int64_t i = element_count(call.indices); i > 0; --i)
    call.index_values.push_back(random.between(-3, 6));
  return call;
}

std::string text_of(const WindowCall& call) {
  return fmt::format(
      "data {}, indices {} = {}, updates {}, update_window_dims {}, inserted {}, batching {} {}, "
      "scatter_dims {}, index_vector_dim {}, policy {}",
      to_string(call.data), to_string(call.indices), fmt::join(call.index_values, ","),
      to_string(call.updates), fmt::join(call.dims.update_window_dims, ","),
      fmt::join(call.dims.inserted_window_dims, ","), fmt::join(call.dims.input_batching_dims, ","),
      fmt::join(call.dims.scatter_indices_batching_dims, ","),
      fmt::join(call.dims.scatter_dims_to_operand_dims, ","), call.dims.index_vector_dim,
      static_cast<int>(call.policies.outside));
}

Tensor laid_out(const Shape& shape, const std::vector<std::int32_t>& values, MemoryOrder order) {
  oracle::Dense dense = oracle::Dense::zeros(ElementType::of(DType::int32), shape);
  std::ranges::copy(std::as_bytes(std::span(values)), dense.bytes.begin());
  const oracle::Layout layout{.order = order};
  return {oracle::header_of(dense, layout), owned_source(oracle::stored(dense, layout))};
}

std::vector<std::int32_t> data_values(const WindowCall& call) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(element_count(call.data)), -1);
  return values;
}

std::vector<std::int32_t> updates_values(const WindowCall& call) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(element_count(call.updates)));
  std::iota(values.begin(), values.end(), 1);
  return values;
}

std::vector<std::int32_t> in_row_major_order(const WindowCall& call,
                                             const std::vector<std::int32_t>& output,
                                             MemoryOrder order) {
  const auto bytes = std::as_bytes(std::span(output));
  const oracle::Dense like = oracle::Dense::zeros(ElementType::of(DType::int32), call.data);
  const oracle::Dense dense = oracle::loaded(like, {.order = order}, {bytes.begin(), bytes.end()});
  std::vector<std::int32_t> elements(output.size());
  std::ranges::copy(dense.bytes, std::as_writable_bytes(std::span(elements)).begin());
  return elements;
}

}  // namespace tscatter
