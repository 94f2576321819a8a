#include "oracle/oracle.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "oracle/accumulated.hpp"
#include "oracle/base.hpp"
#include "oracle/index.hpp"
#include "oracle/parts.hpp"
#include "oracle/window.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::oracle {
namespace {

using Refused = std::optional<Refusal>;

// One index of a vector is element 0 of it, also if it has rank 0.
std::string place_of(const Call& call, Position index) {
  const std::string_view indices = call.row().called("indices");
  const bool is_vector = call.row().index_rank == IndexRank::vector || call.row().takes_any_index;
  if (index.empty() && is_vector) index = {0};
  return index.empty() ? std::string(indices)
                       : fmt::format("{}[{}]", indices, fmt::join(index, ", "));
}

Refused broken(const Call& call, Check check) {
  return Refusal{.label = std::string(call.row().label(check)), .place = {}};
}

bool is_outside(Int128 value, Int128 low, Int128 high) { return value < low || value >= high; }

Refused index_refusal(const Call& given) {
  Call call = given;
  call.look_up();
  const auto wrong = first_wrong_index(call);
  if (!wrong) return std::nullopt;
  Refused refused = broken(call, Check::index_range);
  refused->place = place_of(call, *wrong);
  return refused;
}

// Whether the operation, and its reduction, are defined for data's dtype.
Refused data_refusal(const Call& call) {
  if (std::ranges::count(call.row().data_dtypes, call.operand("data").type.dtype) == 0)
    return broken(call, Check::data_dtype);
  if (is_defined(call.operand("data").type.dtype, call.reduction())) return std::nullopt;
  return broken(call, Check::reduction_dtype);
}

bool takes_these_indices(const Call& call) {
  return std::ranges::count(call.row().index_dtypes, call.operand("indices").type.dtype) > 0;
}

bool has_dtype_of_data(const Call& call) {
  return same_dtype(call.operand("updates").type, call.operand("data").type);
}

// An operand or an attribute.
Refused axis_refusal(const Call& call) {
  const auto rank = static_cast<Int128>(call.operand("data").shape.size());
  if (const auto axis = call.operands.find("axis"); axis != call.operands.end()) {
    const bool is_one = axis->second.shape.empty() || axis->second.shape == Shape{1};
    if (!is_integer(axis->second.type.dtype) || !is_one) return broken(call, Check::axis_scalar);
  }
  if (is_outside(given_axis(call), -rank, rank)) return broken(call, Check::axis_range);
  return std::nullopt;
}

// Whether updates have a shape that the operation takes, where this one is required.
bool fits_updates(const Call& call) {
  const Shape required = updates_shape(call);
  const Dense& updates = call.operand("updates");
  const bool is_one =
      call.row().takes_any_index && call.operand("indices").shape.empty() && updates.shape.empty();
  const bool is_box = is_one || std::ranges::equal(required, updates.shape, std::less_equal());
  const auto count = static_cast<std::size_t>(product(required));
  switch (call.row().updates_shape) {
    case UpdatesShape::exact:
    case UpdatesShape::one_element: return updates.shape == required;
    case UpdatesShape::broadcast:
      return updates.shape.size() <= required.size() && fits_result(updates.shape, required);
    case UpdatesShape::broadcast_ones: return fits_result(updates.shape, required);
    case UpdatesShape::box: return is_box;
    case UpdatesShape::box_or_fill: return is_box || updates.shape.empty();
    case UpdatesShape::fill: return updates.shape.empty();
    case UpdatesShape::as_many: return updates.count() == count;
    case UpdatesShape::at_least: return updates.count() >= count;
    case UpdatesShape::repeat: return updates.count() > 0 || count == 0;
  }
  unreachable();
}

// Of calls whose shapes are legal, or do not matter.
Refused typed_refusal(const Call& call) {
  return has_dtype_of_data(call) ? data_refusal(call) : broken(call, Check::updates_dtype);
}

// ---- rows

Refused rows_refusal(const Call& call) {
  if (call.operand("data").shape.empty()) return broken(call, Check::data_rank);
  if (Refused refusal = axis_refusal(call)) return refusal;
  const bool is_vector = call.row().index_rank == IndexRank::vector;
  if (is_vector && call.operand("indices").shape.size() > 1)
    return broken(call, Check::indices_rank);
  if (!takes_these_indices(call)) return broken(call, Check::indices_dtype);
  if (!fits_updates(call)) return broken(call, Check::updates_shape);
  if (!has_dtype_of_data(call)) return broken(call, Check::updates_dtype);
  if (Refused refusal = data_refusal(call)) return refusal;
  return index_refusal(call);
}

// ---- elements

Refused sizes_refusal(const Call& call) {
  const Shape& data = call.operand("data").shape;
  const Shape& indices = call.operand("indices").shape;
  const auto rank = static_cast<Int128>(data.size());
  const Int128 given = given_axis(call);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const bool is_axis = static_cast<Int128>(i) == (given < 0 ? given + rank : given);
    const Check check = is_axis ? Check::indices_length : Check::indices_shape;
    const bool is_off_axis = call.row().broadcasts_indices && !is_axis;
    if (is_off_axis && indices[i] != 1 && indices[i] != data[i]) return broken(call, check);
    if (indices[i] > data[i] && !is_off_axis && !call.row().label(check).empty())
      return broken(call, check);
  }
  return std::nullopt;
}

Refused elements_refusal(const Call& call) {
  const Dense& indices = call.operand("indices");
  if (call.operand("data").shape.empty()) return broken(call, Check::data_rank);
  const bool is_free = call.row().takes_any_index && indices.count() == 0;
  const std::size_t rank = call.operand("data").shape.size();
  const bool is_one = call.row().takes_any_index && rank == 1 && indices.shape.empty();
  if (!is_free && !is_one && indices.shape.size() != rank) return broken(call, Check::indices_rank);
  if (Refused refusal = axis_refusal(call)) return refusal;
  if (!is_free && !takes_these_indices(call)) return broken(call, Check::indices_dtype);
  if (is_free) return typed_refusal(call);
  if (Refused refusal = sizes_refusal(call)) return refusal;
  if (!fits_updates(call)) return broken(call, Check::updates_shape);
  if (!has_dtype_of_data(call)) return broken(call, Check::updates_dtype);
  if (Refused refusal = data_refusal(call)) return refusal;
  return index_refusal(call);
}

// ---- start

bool is_at_most_shorter_along(std::size_t axis, const Shape& updates, const Shape& data) {
  if (updates.size() != data.size()) return false;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (i == axis ? updates[i] > data[i] : updates[i] != data[i]) return false;
  }
  return true;
}

Refused start_refusal(const Call& call) {
  const Shape& data = call.operand("data").shape;
  const auto rank = static_cast<Int128>(data.size());
  if (rank < 2) return broken(call, Check::data_rank);
  if (Refused refusal = axis_refusal(call)) return refusal;
  const Int128 axis = given_axis(call) < 0 ? given_axis(call) + rank : given_axis(call);
  if (axis == 0) return broken(call, Check::axis_range);
  if (call.operands.contains("indices")) {
    if (!takes_these_indices(call)) return broken(call, Check::indices_dtype);
    if (call.operand("indices").shape != Shape{data.front()})
      return broken(call, Check::indices_shape);
  }
  const Shape& updates = call.operand("updates").shape;
  if (!is_at_most_shorter_along(static_cast<std::size_t>(axis), updates, data))
    return broken(call, Check::updates_shape);
  if (!has_dtype_of_data(call)) return broken(call, Check::updates_dtype);
  if (Refused refusal = data_refusal(call)) return refusal;
  return index_refusal(call);
}

// ---- block

Refused block_refusal(const Call& call) {
  const Shape& data = call.operand("data").shape;
  const Shape& updates = call.operand("updates").shape;
  if (data.empty()) return broken(call, Check::data_rank);
  if (!takes_these_indices(call)) return broken(call, Check::indices_dtype);
  if (call.operand("indices").shape != Shape{static_cast<std::int64_t>(data.size())})
    return broken(call, Check::indices_shape);
  bool fits = updates.size() == data.size();
  for (std::size_t axis = 0; fits && axis < data.size(); ++axis) fits = updates[axis] <= data[axis];
  if (!fits) return broken(call, Check::updates_shape);
  if (!has_dtype_of_data(call)) return broken(call, Check::updates_dtype);
  if (Refused refusal = data_refusal(call)) return refusal;
  return index_refusal(call);
}

// ---- nd

Refused nd_refusal(const Call& call) {
  const Dense& data = call.operand("data");
  const Dense& indices = call.operand("indices");
  const Dense& updates = call.operand("updates");
  if (data.shape.empty()) return broken(call, Check::data_rank);
  if (indices.shape.empty()) return broken(call, Check::indices_rank);
  if (static_cast<std::size_t>(indices.shape.back()) > data.shape.size())
    return broken(call, Check::index_depth);
  if (!takes_these_indices(call)) return broken(call, Check::indices_dtype);
  const Shape expected = updates_shape(call);
  const bool takes_one_element = call.row().updates_shape == UpdatesShape::one_element;
  const bool is_single = takes_one_element && expected.empty() && updates.count() == 1;
  if (updates.shape != expected && !is_single) return broken(call, Check::updates_shape);
  if (!has_dtype_of_data(call)) return broken(call, Check::updates_dtype);
  if (Refused refusal = data_refusal(call)) return refusal;
  return index_refusal(call);
}

// ---- window

Refused window_refusal(const Call& call) {
  if (call.operand("data").shape.empty()) return broken(call, Check::data_rank);
  if (const auto check = broken_lists(call)) return broken(call, *check);
  if (!takes_these_indices(call)) return broken(call, Check::indices_dtype);
  if (const auto check = broken_dims(call)) return broken(call, *check);
  if (!has_dtype_of_data(call)) return broken(call, Check::updates_dtype);
  if (Refused refusal = data_refusal(call)) return refusal;
  return index_refusal(call);
}

// ---- slice

Refused lists_refusal(const Call& call) {
  for (const std::string_view name : {"start", "stop", "step", "axes"}) {
    const auto list = call.operands.find(name);
    if (list == call.operands.end()) continue;
    if (list->second.shape.size() != 1) return broken(call, Check::list_rank);
    if (!is_integer(list->second.type.dtype)) return broken(call, Check::list_dtype);
    if (list->second.count() != call.operand("start").count())
      return broken(call, Check::list_length);
  }
  return std::nullopt;
}

Refused axes_refusal(const Call& call) {
  const auto rank = static_cast<Int128>(call.operand("data").shape.size());
  std::set<Int128> seen;
  for (const Int128 axis : slice_axes(call)) {
    if (is_outside(axis, -rank, rank)) return broken(call, Check::axes_range);
    if (!seen.insert(axis < 0 ? axis + rank : axis).second)
      return broken(call, Check::axes_distinct);
  }
  return std::nullopt;
}

bool has_step_of_zero(const Dense& step) {
  for (std::size_t i = 0; i < step.count(); ++i) {
    if (integer_at(step, i) == 0) return true;
  }
  return false;
}

Refused slice_refusal(const Call& call) {
  if (call.operand("data").shape.empty()) return broken(call, Check::data_rank);
  if (Refused refusal = lists_refusal(call)) return refusal;
  if (has_step_of_zero(call.operand("step"))) return broken(call, Check::step_not_zero);
  if (Refused refusal = axes_refusal(call)) return refusal;
  if (call.operand("updates").shape != updates_shape(call))
    return broken(call, Check::updates_shape);
  if (!has_dtype_of_data(call)) return broken(call, Check::updates_dtype);
  return data_refusal(call);
}

// ---- batched_rows

Refused batched_rows_refusal(const Call& call) {
  const Shape& data = call.operand("data").shape;
  const Shape& indices = call.operand("indices").shape;
  if (data.size() != 3) return broken(call, Check::data_rank);
  if (indices.size() != 2) return broken(call, Check::indices_rank);
  if (!takes_these_indices(call)) return broken(call, Check::indices_dtype);
  if (indices[0] != data[0]) return broken(call, Check::indices_shape);
  if (call.operand("updates").shape != updates_shape(call))
    return broken(call, Check::updates_shape);
  if (!has_dtype_of_data(call)) return broken(call, Check::updates_dtype);
  if (Refused refusal = data_refusal(call)) return refusal;
  return index_refusal(call);
}

// ---- index

Refused items_refusal(const Call& call) {
  if (call.operand("data").shape.empty()) return broken(call, Check::data_rank);
  if (const auto check = broken_items(call)) return broken(call, *check);
  if (!fits_updates(call)) return broken(call, Check::updates_shape);
  if (Refused refusal = typed_refusal(call)) return refusal;
  const auto wrong = first_wrong_item(call);
  if (!wrong) return std::nullopt;
  return Refusal{.label = std::string(call.row().label(Check::index_range)), .place = *wrong};
}

// ---- flat, mask, section, diagonal

Refused part_refusal(const Call& call) {
  if (call.operand("data").shape.empty()) return broken(call, Check::data_rank);
  if (call.row().find_attribute("axis") != nullptr) {
    if (Refused refusal = axis_refusal(call)) return refusal;
  }
  if (const auto check = broken_part(call)) return broken(call, *check);
  if (!fits_updates(call)) return broken(call, Check::updates_shape);
  if (Refused refusal = typed_refusal(call)) return refusal;
  return index_refusal(call);
}

// ---- segment

bool ascends(const Dense& indices) {
  for (std::size_t i = 1; i < indices.count(); ++i) {
    if (integer_at(indices, i) < integer_at(indices, i - 1)) return false;
  }
  return true;
}

Refused segment_refusal(const Call& call) {
  const Dense& indices = call.operand("indices");
  const bool is_vector = !call.row().label(Check::indices_rank).empty();
  if (is_vector && indices.shape.size() != 1) return broken(call, Check::indices_rank);
  if (!takes_these_indices(call)) return broken(call, Check::indices_dtype);
  const bool is_sorted = !call.row().label(Check::index_order).empty();
  if (is_sorted && !ascends(indices)) return broken(call, Check::index_order);
  if (!fits_updates(call)) return broken(call, Check::updates_shape);
  if (Refused refusal = data_refusal(call)) return refusal;
  return index_refusal(call);
}

Refused form_refusal(const Call& call) {
  switch (call.row().form) {
    case Form::rows: return rows_refusal(call);
    case Form::nd: return nd_refusal(call);
    case Form::elements: return elements_refusal(call);
    case Form::window: return window_refusal(call);
    case Form::start: return start_refusal(call);
    case Form::slice: return slice_refusal(call);
    case Form::batched_rows: return batched_rows_refusal(call);
    case Form::index: return items_refusal(call);
    case Form::flat:
    case Form::mask:
    case Form::section:
    case Form::diagonal: return part_refusal(call);
    case Form::segment: return segment_refusal(call);
    case Form::block: return block_refusal(call);
  }
  unreachable();
}

// The first entry in row-major order that writes where an earlier one wrote.
Refused duplicate_refusal(const Call& call) {
  const bool is_checked = call.policies().duplicates == DuplicatePolicy::forbidden;
  if (!is_checked || call.operand("data").count() == 0) return std::nullopt;
  std::set<Position> seen;
  const auto entries = entries_of(call);
  for (const EntryWrite& entry : *entries) {
    if (seen.insert(entry.coordinates).second) continue;
    Refused refused = broken(call, Check::duplicates);
    if (refused->label.empty()) refused->label = "operation.o6";
    if (call.row().form != Form::index)
      refused->place = place_of(call, place_in_indices(call, entry.entry));
    return refused;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> refusal_of(const Call& given) {
  if (const auto check = broken_base(given)) return broken(given, *check);
  const Call call = based(given);
  if (Refused refusal = form_refusal(call)) return refusal;
  return duplicate_refusal(call);
}

std::int64_t Result::elements_written() const { return std::ranges::count(written, true); }

Result apply(const Call& given) {
  Call call = based(given);
  call.look_up();
  call.answers->entries = entries_of(call);
  const Dense& data = call.operand("data");
  const Dense& updates = call.operand("updates");
  Result result{.output = data, .written = std::vector<bool>(data.count(), false)};
  const EntryCounts entries = entry_counts(call);
  result.index_entries = entries.all;
  result.dropped = entries.dropped;
  std::vector<Position> destinations;
  for (const EntryWrite& entry : *call.answers->entries) destinations.push_back(entry.coordinates);
  std::ranges::sort(destinations);
  result.duplicates = destinations.end() - std::unique(destinations.begin(), destinations.end());
  std::vector<std::optional<Accumulated>> values(data.count());
  for_each_write(call, [&](const Write& write) {
    const std::size_t element = row_major(data.shape, write.element);
    std::optional<Accumulated>& value = values[element];
    if (!value) value.emplace(call, element);
    value->add(updates.at(write.update));
    result.written[element] = true;
  });
  for (std::size_t element = 0; element < values.size(); ++element) {
    if (values[element])
      std::ranges::copy(values[element]->finished(), result.output.element(element));
  }
  return result;
}

std::optional<std::size_t> first_difference(const Result& result, Layout layout,
                                            const std::vector<std::byte>& actual) {
  const Dense& output = result.output;
  if (actual.size() != output.bytes.size()) return 0;
  const Dense back = loaded(output, layout, actual);
  for (std::size_t i = 0; i < output.count(); ++i) {
    const std::byte* expected = output.element(i);
    if (!std::equal(expected, expected + output.type.size, back.element(i))) return i;
  }
  return std::nullopt;
}

}  // namespace tscatter::oracle
