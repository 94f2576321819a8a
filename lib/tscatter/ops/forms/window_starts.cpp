#include "tscatter/ops/forms/window_starts.hpp"

#include <cstring>

#include "tscatter/core/memory.hpp"
#include "tscatter/core/visit_dtype.hpp"

namespace tscatter::forms {

bool is_among(const std::vector<std::size_t>& axes, std::size_t axis) {
  return std::ranges::count(axes, axis) > 0;
}

std::vector<std::optional<std::size_t>> window_axes(const WindowDims& dims, std::size_t rank) {
  std::vector<std::optional<std::size_t>> axes(rank);
  auto next = dims.update_window_dims.begin();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const bool is_absent =
        is_among(dims.inserted_window_dims, axis) || is_among(dims.input_batching_dims, axis);
    if (!is_absent) axes[axis] = *next++;
  }
  return axes;
}

std::vector<StartComponent> components_of(const WindowDims& dims, const Shape& data,
                                          const Tensor& indices, const Tensor& updates) {
  const auto along = window_axes(dims, data.size());
  const std::vector<std::int64_t> strides = strides_of(indices.shape(), MemoryOrder::c);
  const bool is_scalar = dims.index_vector_dim == indices.rank();
  std::vector<StartComponent> components;
  for (const std::size_t axis : dims.scatter_dims_to_operand_dims) {
    const auto number = static_cast<std::int64_t>(components.size());
    components.push_back({.axis = axis,
                          .size = data[axis],
                          .window = along[axis] ? updates.shape()[*along[axis]] : 1,
                          .offset = is_scalar ? 0 : number * strides[dims.index_vector_dim],
                          .stride = 0});
  }
  return components;
}

std::vector<std::int64_t> StartReader::read() {
  std::vector<std::int64_t> starts(memory_size(indices_.count(), sizeof(std::int64_t)));
  visit([&](std::int64_t at, std::int64_t start) { starts[static_cast<std::size_t>(at)] = start; });
  return starts;
}

void StartReader::read_some(std::int64_t first, std::int64_t count,
                            std::vector<std::int64_t>& into) {
  into.assign(static_cast<std::size_t>(count), 0);
  if (components_.empty()) return;
  read_row_major(indices_, first, count, bytes_);
  visit_integer_dtype(indices_.type().dtype, [&]<class T>() {
    for (std::int64_t i = 0; i < count; ++i) {
      T index;
      std::memcpy(&index, bytes_.data() + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
      const auto start = start_of(index, component_of(first + i), operation_.policies);
      if (!start) refuse(first + i);
      into[static_cast<std::size_t>(i)] = *start;
    }
  });
}

void StartReader::refuse(std::int64_t at) const {
  const StartComponent& component = component_of(at);
  const bool wraps = operation_.policies.negative == NegativeIndex::from_the_end;
  refuse_index(operation_, indices_, at,
               {.axis = component.axis,
                .low = wraps ? -component.size : 0,
                .high = component.size - component.window + 1});
}

}  // namespace tscatter::forms
