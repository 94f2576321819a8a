#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/resolved_index.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::forms {
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
