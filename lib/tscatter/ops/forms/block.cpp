#include <algorithm>
#include <numeric>
#include <vector>

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/window.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::forms {
namespace {

void require_block_within(const Operation& operation, const Shape& data, const Shape& updates) {
  const std::string_view called = operation.called("updates");
  if (updates.size() != data.size()) {
    refuse(operation, Check::updates_shape, "{} must have the rank of {}, {}, got shape {}", called,
           operation.called("data"), data.size(), to_string(updates));
  }
  for (std::size_t axis = 0; axis < data.size(); ++axis) {
    if (updates[axis] > data[axis]) {
      refuse(operation, Check::updates_shape,
             "{} must be at most {} long along axis {}, as {}, got {}", called, data[axis], axis,
             operation.called("data"), updates[axis]);
    }
  }
}

WindowDims dims_of(std::size_t rank) {
  WindowDims dims;
  dims.update_window_dims.resize(rank);
  std::iota(dims.update_window_dims.begin(), dims.update_window_dims.end(), std::size_t{0});
  dims.scatter_dims_to_operand_dims = dims.update_window_dims;
  return dims;
}

// Where along an axis of `size` a block of `length` begins, once it is moved inside.
std::int64_t moved_inside(std::int64_t start, NegativeIndex negative, std::int64_t length,
                          std::int64_t size) {
  if (start < 0 && start >= -size && negative == NegativeIndex::from_the_end) start += size;
  return std::clamp<std::int64_t>(start, 0, size - length);
}

}  // namespace

void prepare_block(const Operation& operation, Arguments& arguments) {
  const Tensor& data = arguments.operand("data");
  require_data_rank(operation, arguments);
  const Tensor& indices = arguments.operand("indices");
  require_index_dtype(operation, indices);
  require_shape(operation, Check::indices_shape, operation.called("indices"), indices,
                {static_cast<std::int64_t>(data.rank())}, "one for each axis");
  require_block_within(operation, data.shape(), arguments.operand("updates").shape());
}

LoweredPlan lower_block(const Operation& operation, const Arguments& arguments,
                        const Lowering& lowering) {
  const Tensor& data = arguments.operand("data");
  const Tensor& updates = arguments.operand("updates");
  const Policies& policies = operation.policies;
  if (policies.outside != OutsideIndex::clip_start || can_drop(policies)) {
    return lower_window(operation, data, arguments.operand("indices"), updates,
                        dims_of(data.rank()), lowering);
  }
  const std::vector<std::int64_t> starts = read_integers(arguments.operand("indices"));
  std::vector<SliceRange> slices;
  for (std::size_t axis = 0; axis < data.rank(); ++axis) {
    const std::int64_t length = updates.shape()[axis];
    const std::int64_t first =
        moved_inside(starts[axis], policies.negative, length, data.shape()[axis]);
    slices.push_back({.first = first, .step = 1, .count = length});
  }
  return {.plan = {.writes = writes_of_slices(data.header(), slices,
                                              strides_of(updates.shape(), updates.order()))}};
}

namespace {

void require_rank_at_least_2(const Operation& operation, const Tensor& data) {
  if (data.rank() < 2) {
    refuse(operation, Check::data_rank, "data must have rank 2 or more, got rank {}", data.rank());
  }
}

void require_axis_behind_batch(const Operation& operation, const Arguments& arguments) {
  require_axis(operation, arguments);
  if (axis_of(operation, arguments) == 0) {
    refuse(operation, Check::axis_range,
           "axis must not be that of the batch, 0 or -{} for data of rank {}, got {}",
           arguments.operand("data").rank(), arguments.operand("data").rank(),
           operation.attribute<std::int64_t>(arguments.attributes, "axis"));
  }
}

bool is_shorter_only_along(std::size_t axis, const Shape& updates, Shape data) {
  if (updates.size() != data.size() || updates[axis] > data[axis]) return false;
  data[axis] = updates[axis];
  return updates == data;
}

void require_updates_within(const Operation& operation, const Arguments& arguments) {
  const Shape& data = arguments.operand("data").shape();
  const Shape& updates = arguments.operand("updates").shape();
  const std::size_t axis = axis_of(operation, arguments);
  if (is_shorter_only_along(axis, updates, data)) return;
  refuse(operation, Check::updates_shape,
         "updates must have data's shape {}, or be shorter along axis {}, got {}", to_string(data),
         axis, to_string(updates));
}

WindowDims start_dims(const Operation& operation, const Arguments& arguments) {
  WindowDims dims{.update_window_dims = {},
                  .inserted_window_dims = {},
                  .input_batching_dims = {0},
                  .scatter_indices_batching_dims = {0},
                  .scatter_dims_to_operand_dims = {axis_of(operation, arguments)},
                  .index_vector_dim = 1};
  for (std::size_t axis = 1; axis < arguments.operand("data").rank(); ++axis)
    dims.update_window_dims.push_back(axis);
  return dims;
}

// Without indices each batch begins at 0: a slice, which needs no list, however many batches there
// are.
LoweredPlan lower_from_0(const Operation& operation, const Arguments& arguments) {
  const TensorHeader& updates = arguments.operand("updates").header();
  std::vector<SliceRange> slices;
  for (const std::int64_t size : updates.shape)
    slices.push_back({.first = 0, .step = 1, .count = size});
  LoweredPlan lowered{
      .plan = {.writes = writes_of_slices(arguments.operand("data").header(), slices,
                                          strides_of(updates.shape, updates.order))}};
  if (can_drop(operation.policies)) lowered.dropped = 0;
  return lowered;
}

}  // namespace

void prepare_start(const Operation& operation, Arguments& arguments) {
  const Tensor& data = arguments.operand("data");
  require_rank_at_least_2(operation, data);
  require_axis_behind_batch(operation, arguments);
  if (const Tensor* indices = arguments.find("indices")) {
    require_index_dtype(operation, *indices);
    require_shape(operation, Check::indices_shape, "indices", *indices, {data.shape().front()},
                  "one for each batch");
  }
  require_updates_within(operation, arguments);
}

LoweredPlan lower_start(const Operation& operation, const Arguments& arguments,
                        const Lowering& lowering) {
  const Tensor* indices = arguments.find("indices");
  if (indices == nullptr) return lower_from_0(operation, arguments);
  return lower_window(operation, arguments.operand("data"), *indices, arguments.operand("updates"),
                      start_dims(operation, arguments), lowering);
}

}  // namespace tscatter::forms
