#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/window.hpp"

namespace tscatter::forms {
namespace {

void require_rank_at_least_2(const Operation& operation, const Tensor& data) {
  if (data.rank() < 2) {
    const RuleOf rule = rule_of(operation, Check::data_rank);
    fail(ErrorKind::rule, rule.label, rule.operation, "data must have rank 2 or more, got rank {}",
         data.rank());
  }
}

void require_axis_behind_batch(const Operation& operation, const Arguments& arguments) {
  require_axis(operation, arguments);
  if (axis_of(operation, arguments) == 0) {
    const RuleOf rule = rule_of(operation, Check::axis_range);
    fail(ErrorKind::rule, rule.label, rule.operation,
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
  const RuleOf rule = rule_of(operation, Check::updates_shape);
  fail(ErrorKind::rule, rule.label, rule.operation,
       "updates must have data's shape {}, or be shorter along axis {}, got {}", to_string(data),
       axis, to_string(updates));
}

WindowDims dims_of(const Operation& operation, const Arguments& arguments) {
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
  const TensorHeader& data = arguments.operand("data").header();
  const TensorHeader& updates = arguments.operand("updates").header();
  const std::vector<std::int64_t> output_strides = strides_of(data.shape, data.order);
  const std::vector<std::int64_t> updates_strides = strides_of(updates.shape, updates.order);
  LatticeBuilder lattice;
  for (std::size_t i = 0; i < data.rank(); ++i) {
    const std::size_t axis = data.order == MemoryOrder::c ? i : data.rank() - 1 - i;
    lattice.append({.count = updates.shape[axis],
                    .output_stride = output_strides[axis],
                    .updates_stride = updates_strides[axis]});
  }
  LoweredPlan lowered{.plan = {.writes = lattice.build()}};
  if (can_drop(operation.policies)) lowered.dropped = 0;
  return lowered;
}

}  // namespace

void prepare_start(const Operation& operation, Arguments& arguments) {
  const Tensor& data = arguments.operand("data");
  require_rank_at_least_2(operation, data);
  require_axis_behind_batch(operation, arguments);
  if (const Tensor* indices = arguments.find("indices")) {
    require_index_dtype(rule_of(operation, Check::indices_dtype), operation, *indices);
    require_shape(rule_of(operation, Check::indices_shape), "indices", *indices,
                  {data.shape().front()}, "one for each batch");
  }
  require_updates_within(operation, arguments);
  require_dtype_of_data(operation, arguments);
}

LoweredPlan lower_start(const Operation& operation, const Arguments& arguments,
                        const Lowering& lowering) {
  const Tensor* indices = arguments.find("indices");
  if (indices == nullptr) return lower_from_0(operation, arguments);
  return lower_window(rule_of(operation, Check::index_range), operation.policies,
                      arguments.operand("data"), *indices, arguments.operand("updates"),
                      dims_of(operation, arguments), lowering);
}

}  // namespace tscatter::forms
