#include "tscatter/ops/slice_scatter_15.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "tscatter/core/fail.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/slice_range.hpp"

namespace tscatter {
namespace {

constexpr std::string_view id = "slice_scatter_15";

constexpr std::array operands{
    OperandInfo{"data", 'd', OperandRole::data, Presence::required,
                "the tensor that is updated, of rank 1 or more"},
    OperandInfo{"updates", 'u', OperandRole::updates, Presence::required,
                "data's shape, with the length of the slice on each sliced axis"},
    OperandInfo{"start", 0, OperandRole::list, Presence::required,
                "where the slice begins on each axis"},
    OperandInfo{"stop", 0, OperandRole::list, Presence::required,
                "where it ends, exclusive; clamped as in Python"},
    OperandInfo{"step", 0, OperandRole::list, Presence::required,
                "from one position to the next; not 0"},
    OperandInfo{"axes", 0, OperandRole::list, Presence::optional,
                "the sliced axes; left out: the first ones"},
};

constexpr std::array<std::string_view, 4> list_names{"start", "stop", "step", "axes"};

constexpr std::array rules{
    Rule{"slice_scatter_15.c1", "data has rank r >= 1"},
    Rule{"slice_scatter_15.c2", "start, stop, step and axes have rank 1"},
    Rule{"slice_scatter_15.c3",
         "start, stop, step and axes are of integer dtypes, not necessarily the same"},
    Rule{"slice_scatter_15.c4", "start, stop, step and axes have the same number of elements"},
    Rule{"slice_scatter_15.c5", "no step is 0"},
    Rule{"slice_scatter_15.c6",
         "each of axes is in [-r, r), where r is the rank of data; without axes, start has at most "
         "r elements"},
    Rule{"slice_scatter_15.c7", "axes names no axis twice, a negative one counting from the end"},
    Rule{"slice_scatter_15.c8",
         "updates has data's shape, with the length of the slice on each sliced axis"},
    Rule{"slice_scatter_15.c9", "updates has the dtype of data"},
};

constexpr std::array<std::string_view, 2> examples{
    "tscatter SliceScatter-15 -d data.npy -u updates.npy --start 0,1 --stop 3,5 --step 2,2 --axes "
    "0,1 -o out.npy",
    "tscatter SliceScatter-15 -d 2x5xf32=0 -u '[[10, 20, 30, 40, 50]]' --start 0 --stop 1 --step 1",
};

void require_lists(const Arguments& arguments) {
  for (const std::string_view name : list_names) {
    const Tensor* list = arguments.find(name);
    if (list == nullptr) continue;
    // slice_scatter_15.c2
    if (list->rank() != 1) {
      fail(ErrorKind::rule, "slice_scatter_15.c2", id, "{} must have rank 1, got rank {}", name,
           list->rank());
    }
    // slice_scatter_15.c3
    require_integers({id, "slice_scatter_15.c3"}, name, *list);
    // slice_scatter_15.c4
    const std::int64_t expected = arguments.operand("start").count();
    if (list->count() != expected) {
      fail(ErrorKind::rule, "slice_scatter_15.c4", id,
           "{} must have as many elements as start, {}, got {}", name, expected, list->count());
    }
  }
}

void require_steps(const Tensor& step) {
  const std::vector<std::int64_t> steps = read_integers(step);
  const auto zero = std::ranges::find(steps, 0);
  // slice_scatter_15.c5
  if (zero != steps.end()) {
    fail(ErrorKind::rule, "slice_scatter_15.c5", id, "step[{}] must not be 0, got 0",
         zero - steps.begin());
  }
}

// REQUIRES: axes were given.
std::size_t checked_axis(const Tensor& axes, std::int64_t axis, std::int64_t place,
                         std::size_t rank) {
  const std::optional<std::size_t> normalized = normalize_axis(axis, rank);
  // slice_scatter_15.c6
  if (!normalized) {
    fail(ErrorKind::rule, "slice_scatter_15.c6", id,
         "axes[{0}] must be in [-{1}, {1}) for data of rank {1}, got {2}", place, rank,
         integer_text(axes, place));
  }
  return *normalized;
}

std::vector<std::size_t> given_axes(const Tensor& axes, std::size_t rank) {
  std::vector<std::size_t> sliced;
  for (const std::int64_t axis : read_integers(axes)) {
    const auto place = static_cast<std::int64_t>(sliced.size());
    const std::size_t normalized = checked_axis(axes, axis, place, rank);
    const auto earlier = std::ranges::find(sliced, normalized);
    // slice_scatter_15.c7
    if (earlier != sliced.end()) {
      fail(ErrorKind::rule, "slice_scatter_15.c7", id,
           "axes[{}] must name an axis that no earlier one names, got {}, as axes[{}]", place, axis,
           earlier - sliced.begin());
    }
    sliced.push_back(normalized);
  }
  return sliced;
}

std::vector<std::size_t> sliced_axes(const Arguments& arguments) {
  const std::size_t rank = arguments.operand("data").rank();
  if (const Tensor* axes = arguments.find("axes")) return given_axes(*axes, rank);
  const std::int64_t count = arguments.operand("start").count();
  // slice_scatter_15.c6
  if (count > static_cast<std::int64_t>(rank)) {
    fail(ErrorKind::rule, "slice_scatter_15.c6", id,
         "start must have at most {} elements, the rank of data, got {}", rank, count);
  }
  std::vector<std::size_t> first_axes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < first_axes.size(); ++i) first_axes[i] = i;
  return first_axes;
}

// One slice per axis of data; an axis that is not sliced is taken whole.
std::vector<SliceRange> slices_of(const Arguments& arguments) {
  const Shape& shape = arguments.operand("data").shape();
  std::vector<SliceRange> slices;
  for (const std::int64_t size : shape) slices.push_back({.first = 0, .step = 1, .count = size});
  const std::vector<std::size_t> axes = sliced_axes(arguments);
  const std::vector<std::int64_t> start = read_integers(arguments.operand("start"));
  const std::vector<std::int64_t> stop = read_integers(arguments.operand("stop"));
  const std::vector<std::int64_t> step = read_integers(arguments.operand("step"));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    slices[axes[i]] = clamp_slice(start[i], stop[i], step[i], shape[axes[i]]);
  }
  return slices;
}

void validate(const Arguments& arguments) {
  const Tensor& data = arguments.operand("data");
  const Tensor& updates = arguments.operand("updates");
  // slice_scatter_15.c1
  require_rank_at_least_1({id, "slice_scatter_15.c1"}, "data", data);
  require_lists(arguments);
  require_steps(arguments.operand("step"));
  Shape expected;
  for (const SliceRange& slice : slices_of(arguments)) expected.push_back(slice.count);
  // slice_scatter_15.c8
  require_shape({id, "slice_scatter_15.c8"}, "updates", updates, expected,
                "the shape of the slice");
  // slice_scatter_15.c9
  require_dtype_of_data({id, "slice_scatter_15.c9"}, updates, data);
}

TensorHeader infer_output(const Arguments& arguments) { return arguments.operand("data").header(); }

LoweredPlan lower(const Arguments& arguments, const Parallelism&) {
  const TensorHeader& data = arguments.operand("data").header();
  const TensorHeader& updates = arguments.operand("updates").header();
  const std::vector<std::int64_t> output_strides = strides_of(data.shape, data.order);
  const std::vector<std::int64_t> updates_strides = strides_of(updates.shape, updates.order);
  const std::vector<SliceRange> slices = slices_of(arguments);
  LatticeBuilder lattice;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const std::size_t axis = data.order == MemoryOrder::c ? i : slices.size() - 1 - i;
    const SliceRange& slice = slices[axis];
    lattice.shift_output(slice.first * output_strides[axis]);
    // A step that is not taken may be too long to be multiplied.
    const std::int64_t step = slice.count > 1 ? slice.step : 1;
    lattice.append({.count = slice.count,
                    .output_stride = step * output_strides[axis],
                    .updates_stride = updates_strides[axis]});
  }
  return {.plan = {.reduction = Reduction::none, .writes = lattice.build()}};
}

}  // namespace

const Operation slice_scatter_15_operation{
    .name = "SliceScatter-15",
    .id = id,
    .summary = "write updates over a slice of data",
    .operands = operands,
    .attributes = {},
    .rules = rules,
    .examples = examples,
    .validate = validate,
    .infer_output = infer_output,
    .lower = lower,
};

}  // namespace tscatter
