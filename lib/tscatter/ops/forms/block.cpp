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

}  // namespace tscatter::forms
