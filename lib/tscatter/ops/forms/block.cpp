#include <algorithm>
#include <numeric>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/window.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::forms {
namespace {

void require_block_within(const Operation& operation, const Shape& data, const Shape& updates) {
  const RuleOf rule = rule_of(operation, Check::updates_shape);
  const std::string_view called = operation.called("updates");
  if (updates.size() != data.size()) {
    fail(ErrorKind::rule, rule.label, rule.operation,
         "{} must have the rank of {}, {}, got shape {}", called, rule.data, data.size(),
         to_string(updates));
  }
  for (std::size_t axis = 0; axis < data.size(); ++axis) {
    if (updates[axis] > data[axis]) {
      fail(ErrorKind::rule, rule.label, rule.operation,
           "{} must be at most {} long along axis {}, as {}, got {}", called, data[axis], axis,
           rule.data, updates[axis]);
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
  require_index_dtype(rule_of(operation, Check::indices_dtype), operation, indices);
  require_shape(rule_of(operation, Check::indices_shape), operation.called("indices"), indices,
                {static_cast<std::int64_t>(data.rank())}, "one for each axis");
  require_block_within(operation, data.shape(), arguments.operand("updates").shape());
  require_dtype_of_data(operation, arguments);
}

LoweredPlan lower_block(const Operation& operation, const Arguments& arguments,
                        const Lowering& lowering) {
  const Tensor& data = arguments.operand("data");
  const Tensor& updates = arguments.operand("updates");
  const Policies& policies = operation.policies;
  if (policies.outside != OutsideIndex::clip_start || can_drop(policies)) {
    return lower_window(rule_of(operation, Check::index_range), policies, data,
                        arguments.operand("indices"), updates, dims_of(data.rank()), lowering);
  }
  const std::vector<std::int64_t> output_strides = strides_of(data.shape(), data.order());
  const std::vector<std::int64_t> updates_strides = strides_of(updates.shape(), updates.order());
  const std::vector<std::int64_t> starts = read_integers(arguments.operand("indices"));
  LatticeBuilder lattice;
  for (std::size_t i = 0; i < data.rank(); ++i) {
    const std::size_t axis = data.order() == MemoryOrder::c ? i : data.rank() - 1 - i;
    const std::int64_t length = updates.shape()[axis];
    lattice.shift_output(moved_inside(starts[axis], policies.negative, length, data.shape()[axis]) *
                         output_strides[axis]);
    lattice.append({.count = length,
                    .output_stride = output_strides[axis],
                    .updates_stride = updates_strides[axis]});
  }
  return {.plan = {.writes = lattice.build()}};
}

}  // namespace tscatter::forms
