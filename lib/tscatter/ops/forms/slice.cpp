#include <algorithm>
#include <optional>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/slice_range.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::forms {
namespace {

constexpr std::array<std::string_view, 4> list_names{"start", "stop", "step", "axes"};

void require_rank_1(RuleOf rule, std::string_view name, const Tensor& list) {
  if (list.rank() != 1) {
    fail(ErrorKind::rule, rule.label, rule.operation, "{} must have rank 1, got rank {}", name,
         list.rank());
  }
}

void require_length(RuleOf rule, std::string_view name, const Tensor& list, std::int64_t length) {
  if (list.count() != length) {
    fail(ErrorKind::rule, rule.label, rule.operation,
         "{} must have as many elements as start, {}, got {}", name, length, list.count());
  }
}

void require_lists(const Operation& operation, const Arguments& arguments) {
  for (const std::string_view name : list_names) {
    const Tensor* list = arguments.find(name);
    if (list == nullptr) continue;
    require_rank_1(rule_of(operation, Check::list_rank), name, *list);
    require_integers(rule_of(operation, Check::list_dtype), name, *list);
    require_length(rule_of(operation, Check::list_length), name, *list,
                   arguments.operand("start").count());
  }
}

void require_steps(RuleOf rule, const Tensor& step) {
  const std::vector<std::int64_t> steps = read_integers(step);
  const auto zero = std::ranges::find(steps, 0);
  if (zero != steps.end()) {
    fail(ErrorKind::rule, rule.label, rule.operation, "step[{}] must not be 0",
         zero - steps.begin());
  }
}

std::size_t checked_axis(RuleOf rule, const Tensor& axes, std::int64_t axis, std::int64_t place,
                         std::size_t rank) {
  const std::optional<std::size_t> normalized = normalize_axis(axis, rank);
  if (!normalized) {
    fail(ErrorKind::rule, rule.label, rule.operation,
         "axes[{0}] must be in [-{1}, {1}) for data of rank {1}, got {2}", place, rank,
         integer_text(axes, place));
  }
  return *normalized;
}

void require_new_axis(RuleOf rule, const std::vector<std::size_t>& sliced, std::size_t normalized,
                      std::int64_t axis) {
  const auto earlier = std::ranges::find(sliced, normalized);
  if (earlier != sliced.end()) {
    fail(ErrorKind::rule, rule.label, rule.operation,
         "axes[{}] must name an axis that no earlier one names, got {}, as axes[{}]", sliced.size(),
         axis, earlier - sliced.begin());
  }
}

std::vector<std::size_t> given_axes(const Operation& operation, const Tensor& axes,
                                    std::size_t rank) {
  std::vector<std::size_t> sliced;
  for (const std::int64_t axis : read_integers(axes)) {
    const auto place = static_cast<std::int64_t>(sliced.size());
    const std::size_t normalized =
        checked_axis(rule_of(operation, Check::axes_range), axes, axis, place, rank);
    require_new_axis(rule_of(operation, Check::axes_distinct), sliced, normalized, axis);
    sliced.push_back(normalized);
  }
  return sliced;
}

std::vector<std::size_t> first_axes(RuleOf rule, std::int64_t count, std::size_t rank) {
  if (count > static_cast<std::int64_t>(rank)) {
    fail(ErrorKind::rule, rule.label, rule.operation,
         "start must have at most {} elements, the rank of data, got {}", rank, count);
  }
  std::vector<std::size_t> axes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  return axes;
}

std::vector<std::size_t> sliced_axes(const Operation& operation, const Arguments& arguments) {
  const std::size_t rank = arguments.operand("data").rank();
  if (const Tensor* axes = arguments.find("axes")) return given_axes(operation, *axes, rank);
  return first_axes(rule_of(operation, Check::axes_range), arguments.operand("start").count(),
                    rank);
}

// One slice per axis of data; an axis that is not sliced is taken whole.
std::vector<SliceRange> slices_of(const Operation& operation, const Arguments& arguments) {
  const Shape& shape = arguments.operand("data").shape();
  std::vector<SliceRange> slices;
  for (const std::int64_t size : shape) slices.push_back({.first = 0, .step = 1, .count = size});
  const std::vector<std::size_t> axes = sliced_axes(operation, arguments);
  const std::vector<std::int64_t> start = read_integers(arguments.operand("start"));
  const std::vector<std::int64_t> stop = read_integers(arguments.operand("stop"));
  const std::vector<std::int64_t> step = read_integers(arguments.operand("step"));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    slices[axes[i]] = clamp_slice(start[i], stop[i], step[i], shape[axes[i]]);
  }
  return slices;
}

}  // namespace

Shape updates_of_slice(const Operation& operation, const Arguments& arguments) {
  Shape shape;
  for (const SliceRange& slice : slices_of(operation, arguments)) shape.push_back(slice.count);
  return shape;
}

void prepare_slice(const Operation& operation, Arguments& arguments) {
  const Tensor& updates = arguments.operand("updates");
  require_data_rank(operation, arguments);
  require_lists(operation, arguments);
  require_steps(rule_of(operation, Check::step_not_zero), arguments.operand("step"));
  require_shape(rule_of(operation, Check::updates_shape), "updates", updates,
                updates_of_slice(operation, arguments), "the shape of the slice");
  require_dtype_of_data(operation, arguments);
}

LoweredPlan lower_slice(const Operation& operation, const Arguments& arguments, const Lowering&) {
  const TensorHeader& data = arguments.operand("data").header();
  const TensorHeader& updates = arguments.operand("updates").header();
  const std::vector<std::int64_t> output_strides = strides_of(data.shape, data.order);
  const std::vector<std::int64_t> updates_strides = strides_of(updates.shape, updates.order);
  const std::vector<SliceRange> slices = slices_of(operation, arguments);
  LatticeBuilder lattice;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const std::size_t axis = data.order == MemoryOrder::c ? i : slices.size() - 1 - i;
    const SliceRange& slice = slices[axis];
    lattice.shift_output(slice.first * output_strides[axis]);
    // A step that is not taken may be too long to multiply.
    const std::int64_t step = slice.count > 1 ? slice.step : 1;
    lattice.append({.count = slice.count,
                    .output_stride = step * output_strides[axis],
                    .updates_stride = updates_strides[axis]});
  }
  return {.plan = {.writes = lattice.build()}};
}

}  // namespace tscatter::forms
