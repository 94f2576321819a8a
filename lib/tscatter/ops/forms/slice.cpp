#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/resolved_index.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::forms {
namespace {

constexpr std::array<std::string_view, 4> list_names{"start", "stop", "step", "axes"};

void require_length(const Operation& operation, std::string_view name, const Tensor& list,
                    std::int64_t length) {
  if (list.count() != length) {
    refuse(operation, Check::list_length, "{} must have as many elements as start, {}, got {}",
           name, length, list.count());
  }
}

void require_lists(const Operation& operation, const Arguments& arguments) {
  for (const std::string_view name : list_names) {
    const Tensor* list = arguments.find(name);
    if (list == nullptr) continue;
    require_rank(operation, Check::list_rank, name, *list, 1);
    require_integers(operation, Check::list_dtype, name, *list);
    require_length(operation, name, *list, arguments.operand("start").count());
  }
}

void require_steps(const Operation& operation, const Tensor& step) {
  const std::vector<std::int64_t> steps = read_integers(step);
  const auto zero = std::ranges::find(steps, 0);
  if (zero != steps.end()) {
    refuse(operation, Check::step_not_zero, "step[{}] must not be 0", zero - steps.begin());
  }
}

std::size_t checked_axis(const Operation& operation, const Tensor& axes, std::int64_t axis,
                         std::int64_t place, std::size_t rank) {
  const std::optional<std::size_t> normalized = normalize_axis(axis, rank);
  if (!normalized) {
    refuse(operation, Check::axes_range,
           "axes[{0}] must be in [-{1}, {1}) for data of rank {1}, got {2}", place, rank,
           integer_text(axes, place));
  }
  return *normalized;
}

void require_new_axis(const Operation& operation, const std::vector<std::size_t>& sliced,
                      std::size_t normalized, std::int64_t axis) {
  const auto earlier = std::ranges::find(sliced, normalized);
  if (earlier != sliced.end()) {
    refuse(operation, Check::axes_distinct,
           "axes[{}] must name an axis that no earlier one names, got {}, as axes[{}]",
           sliced.size(), axis, earlier - sliced.begin());
  }
}

std::vector<std::size_t> given_axes(const Operation& operation, const Tensor& axes,
                                    std::size_t rank) {
  std::vector<std::size_t> sliced;
  for (const std::int64_t axis : read_integers(axes)) {
    const auto place = static_cast<std::int64_t>(sliced.size());
    const std::size_t normalized = checked_axis(operation, axes, axis, place, rank);
    require_new_axis(operation, sliced, normalized, axis);
    sliced.push_back(normalized);
  }
  return sliced;
}

std::vector<std::size_t> first_axes(const Operation& operation, std::int64_t count,
                                    std::size_t rank) {
  if (count > static_cast<std::int64_t>(rank)) {
    refuse(operation, Check::axes_range,
           "start must have at most {} elements, the rank of data, got {}", rank, count);
  }
  std::vector<std::size_t> axes(static_cast<std::size_t>(count));
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

std::vector<std::size_t> sliced_axes(const Operation& operation, const Arguments& arguments) {
  const std::size_t rank = arguments.operand("data").rank();
  if (const Tensor* axes = arguments.find("axes")) return given_axes(operation, *axes, rank);
  return first_axes(operation, arguments.operand("start").count(), rank);
}

// One for each axis of data; an axis that is not sliced is taken whole.
std::vector<IndexItem> slices_of(const Operation& operation, const Arguments& arguments) {
  std::vector<IndexItem> items(arguments.operand("data").rank(), {SliceItem{}, ":"});
  const std::vector<std::size_t> axes = sliced_axes(operation, arguments);
  const std::vector<std::int64_t> start = read_integers(arguments.operand("start"));
  const std::vector<std::int64_t> stop = read_integers(arguments.operand("stop"));
  const std::vector<std::int64_t> step = read_integers(arguments.operand("step"));
  for (std::size_t i = 0; i < axes.size(); ++i)
    items[axes[i]].what = SliceItem{.start = start[i], .stop = stop[i], .step = step[i]};
  return items;
}

}  // namespace

Shape updates_of_slice(const Operation& operation, const Arguments& arguments) {
  return shape_named_by(operation, arguments, slices_of(operation, arguments));
}

void prepare_slice(const Operation& operation, Arguments& arguments) {
  require_data_rank(operation, arguments);
  require_lists(operation, arguments);
  require_steps(operation, arguments.operand("step"));
  arguments.index = slices_of(operation, arguments);
  fit_updates(
      operation, arguments,
      {.shape = resolve_index(operation, arguments).result, .formula = "the shape of the slice"});
}

namespace {

// The position as int64: one beyond it is far outside of each axis, and where positions are taken
// modulo the size, its remainder.
std::int64_t selected_place(const Operation& operation, const Tensor& index, std::int64_t size) {
  const std::int64_t nearest = read_integers(index).front();
  const bool is_beyond =
      index.type().dtype == DType::uint64 && nearest == std::numeric_limits<std::int64_t>::max();
  if (!is_beyond || operation.policies.outside != OutsideIndex::modulo || size == 0) return nearest;
  return static_cast<std::int64_t>(std::stoull(integer_text(index, 0)) %
                                   static_cast<std::uint64_t>(size));
}

IndexItem position_item(const Operation& operation, const Tensor& index, std::int64_t size) {
  const std::string called(operation.called("indices"));
  require_index_dtype(operation, index);
  require_rank(operation, Check::indices_rank, called, index, 0);
  return {IntegerItem{selected_place(operation, index, size)}, called};
}

IndexItem slice_item(const Operation& operation, const Arguments& arguments) {
  const auto value = [&](std::string_view name) {
    return operation.attribute<std::int64_t>(arguments.attributes, name);
  };
  const SliceItem slice{.start = value("start"), .stop = value("stop"), .step = value("step")};
  if (*slice.step < 1) {
    refuse(operation, Check::step_not_zero, "step must be 1 or more, got {}", *slice.step);
  }
  return {slice, "the slice"};
}

// Whole axes, the item and an ellipsis.
std::vector<IndexItem> items_of(const Operation& operation, const Arguments& arguments) {
  const std::size_t axis = axis_of(operation, arguments);
  std::vector<IndexItem> items(axis, {SliceItem{}, ":"});
  const Tensor* index = arguments.find("indices");
  items.push_back(index == nullptr
                      ? slice_item(operation, arguments)
                      : position_item(operation, *index, arguments.operand("data").shape()[axis]));
  items.push_back({EllipsisItem{}, "..."});
  return items;
}

}  // namespace

Shape updates_of_section(const Operation& operation, const Arguments& arguments) {
  return shape_named_by(operation, arguments, items_of(operation, arguments));
}

void prepare_section(const Operation& operation, Arguments& arguments) {
  const bool selects = arguments.find("indices") != nullptr;
  require_data_rank(operation, arguments);
  require_axis(operation, arguments);
  arguments.index = items_of(operation, arguments);
  fit_updates(operation, arguments,
              {.shape = resolve_index(operation, arguments).result,
               .formula = selects ? fmt::format("the shape of {} without {}",
                                                operation.called("data"), operation.called("axis"))
                                  : "the shape of the slice"});
}

}  // namespace tscatter::forms
