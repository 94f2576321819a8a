#include "oracle/parts.hpp"

#include <algorithm>

#include "oracle/index.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::oracle {
namespace {

std::int64_t number(const Call& call, std::string_view name) {
  return call.row().attribute<std::int64_t>(call.attributes, name);
}

std::int64_t rank_of(const Call& call) {
  return static_cast<std::int64_t>(call.operand("data").shape.size());
}

std::size_t axis_named(const Call& call, std::string_view name) {
  const std::int64_t given = number(call, name);
  return static_cast<std::size_t>(given < 0 ? given + rank_of(call) : given);
}

// The place of number i in row-major order.
Position position_of(const Shape& shape, std::size_t i) {
  Position place(shape.size(), 0);
  auto left = static_cast<std::int64_t>(i);
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    place[axis] = left % shape[axis];
    left /= shape[axis];
  }
  return place;
}

// How many places indices choose from.
std::int64_t size_of_places(const Call& call) {
  const Shape& data = call.operand("data").shape;
  return call.row().form == Form::flat ? product(data) : data[axis_named(call, "axis")];
}

// Of an index in range.
std::optional<std::int64_t> place_within(const Call& call, Int128 index) {
  const Int128 size = size_of_places(call);
  const bool wraps = index < 0 && call.policies().negative == NegativeIndex::from_the_end;
  const Int128 at = wraps ? index + size : index;
  return at >= 0 && at < size ? std::optional(static_cast<std::int64_t>(at)) : std::nullopt;
}

// Whether nothing is written, for there are no values to repeat; no index counts then.
bool has_no_values(const Call& call) {
  const auto updates = call.operands.find("updates");
  return call.row().form == Form::flat && call.row().updates_shape == UpdatesShape::repeat &&
         updates != call.operands.end() && updates->second.count() == 0 &&
         call.operand("data").count() > 0;
}

// The place in updates of number i; where there are fewer, they are repeated.
Position update_of(const Call& call, std::size_t i) {
  const Dense& updates = call.operand("updates");
  return position_of(updates.shape, i % updates.count());
}

// The place in updates of the place of data that is the true of that number.
Position update_of_true(const Call& call, const Position& at, std::size_t number) {
  const bool is_of_place = call.row().fits_updates_to_data;
  if (is_of_place && call.row().updates_shape == UpdatesShape::broadcast_ones)
    return within(call.operand("updates").shape, at);
  return update_of(call, is_of_place ? row_major(call.operand("data").shape, at) : number);
}

// Whether the call has one position that is out of range: that is an entry, others are not.
bool is_entry(const Call& call) {
  if (call.row().form != Form::section || !call.operands.contains("indices")) return false;
  return !place_within(call, integer_at(call.operand("indices"), 0));
}

std::optional<std::int64_t> place_of(const Call& call, Int128 index) {
  if (drops_negative(call, index)) return std::nullopt;
  if (const auto at = place_within(call, index)) return at;
  return place_outside(call.policies().outside, index, size_of_places(call));
}

// The positions along the axis.
std::vector<std::int64_t> sliced(const Call& call) {
  return slice_positions(number(call, "start"), number(call, "stop"), number(call, "step"),
                         size_of_places(call));
}

// Whether a mask, which is broadcast to data or has its elements in another shape, is true.
bool is_true(const Call& call, const Dense& mask, const Position& at) {
  const Shape& data = call.operand("data").shape;
  const std::byte* element = call.row().reshapes_mask ? mask.element(row_major(data, at))
                                                      : mask.at(within(mask.shape, at));
  return *element != std::byte{0};
}

// Each place of data where the mask is true; without one, each.
void for_each_true(const Call& call, const std::function<void(const Position&)>& visit) {
  const auto mask = call.operands.find("mask");
  for_each_index(call.operand("data").shape, [&](const Position& at) {
    if (mask == call.operands.end() || is_true(call, mask->second, at)) visit(at);
  });
}

// Without a mask there are no entries.
void for_each_true_write(const Call& call, const std::function<void(const Write&)>& visit) {
  const bool has_entries = call.operands.contains("mask");
  std::int64_t trues = 0;
  for_each_true(call, [&](const Position& at) {
    const auto entry = has_entries ? std::optional(Position{trues}) : std::nullopt;
    visit({entry, at, update_of_true(call, at, static_cast<std::size_t>(trues++))});
  });
}

bool broadcasts(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  const std::size_t before = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] != 1 && from[i] != to[before + i]) return false;
  return true;
}

// Calls visit(the place in data, the place in updates) for each place on the diagonal.
void for_each_on_diagonal(const Call& call,
                          const std::function<void(const Position&, const Position&)>& visit) {
  const std::size_t dim1 = axis_named(call, "dim1");
  const std::size_t dim2 = axis_named(call, "dim2");
  const Shape& data = call.operand("data").shape;
  Shape rows = data;
  rows[dim2] = std::min<std::int64_t>(rows[dim2], 1);
  for_each_index(rows, [&](const Position& row) {
    Position to = row;
    // Too far to be added up safely where offset is an end of int64.
    const Int128 column = Int128{to[dim1]} + number(call, "offset");
    if (column < 0 || column >= data[dim2]) return;
    to[dim2] = static_cast<std::int64_t>(column);
    Position from;
    for (std::size_t i = 0; i < to.size(); ++i)
      if (i != dim1 && i != dim2) from.push_back(to[i]);
    from.push_back(std::min(to[dim1], to[dim2]));
    visit(to, from);
  });
}

std::optional<Check> broken_diagonal(const Call& call) {
  for (const std::string_view name : {"dim1", "dim2"}) {
    const std::int64_t axis = number(call, name);
    if (axis < -rank_of(call) || axis >= rank_of(call)) return Check::axis_range;
  }
  if (axis_named(call, "dim1") == axis_named(call, "dim2")) return Check::axes_distinct;
  return std::nullopt;
}

std::optional<Check> broken_mask(const Call& call) {
  if (!call.operands.contains("mask")) return std::nullopt;
  const Dense& mask = call.operand("mask");
  if (mask.type.dtype != DType::boolean) return Check::indices_dtype;
  const Dense& data = call.operand("data");
  const bool fits =
      call.row().reshapes_mask ? mask.count() == data.count() : broadcasts(mask.shape, data.shape);
  if (!fits) return Check::indices_shape;
  return std::nullopt;
}

Shape diagonal_shape(const Call& call) {
  const Shape& data = call.operand("data").shape;
  const std::size_t dim1 = axis_named(call, "dim1");
  const std::size_t dim2 = axis_named(call, "dim2");
  Shape shape;
  for (std::size_t i = 0; i < data.size(); ++i)
    if (i != dim1 && i != dim2) shape.push_back(data[i]);
  std::int64_t length = 0;
  for (std::int64_t i = 0; i < data[dim1]; ++i) {
    const Int128 column = Int128{i} + number(call, "offset");
    if (column >= 0 && column < data[dim2]) ++length;
  }
  shape.push_back(length);
  return shape;
}

}  // namespace

bool is_part(const Call& call) {
  const Form form = call.row().form;
  return form == Form::flat || form == Form::mask || form == Form::section ||
         form == Form::diagonal;
}

std::optional<Check> broken_part(const Call& call) {
  if (call.row().form == Form::diagonal) return broken_diagonal(call);
  if (call.row().form == Form::mask) return broken_mask(call);
  const auto indices = call.operands.find("indices");
  if (indices == call.operands.end())
    return number(call, "step") < 1 ? std::optional(Check::step_not_zero) : std::nullopt;
  if (std::ranges::count(call.row().index_dtypes, indices->second.type.dtype) == 0)
    return Check::indices_dtype;
  const bool is_one = call.row().form == Form::flat || indices->second.shape.empty();
  return is_one ? std::nullopt : std::optional(Check::indices_rank);
}

Shape part_shape(const Call& call) {
  switch (call.row().form) {
    case Form::flat: return has_no_values(call) ? Shape{0} : call.operand("indices").shape;
    case Form::diagonal: return diagonal_shape(call);
    case Form::mask: {
      if (call.row().fits_updates_to_data) break;
      std::int64_t trues = 0;
      for_each_true(call, [&](const Position&) { ++trues; });
      return {trues};
    }
    default: break;
  }
  Shape shape = call.operand("data").shape;
  if (call.row().form == Form::mask) return shape;
  const auto axis = shape.begin() + static_cast<std::ptrdiff_t>(axis_named(call, "axis"));
  if (call.operands.contains("indices")) {
    shape.erase(axis);
  } else {
    *axis = static_cast<std::int64_t>(sliced(call).size());
  }
  return shape;
}

std::size_t first_axis_of_part(const Call& call) {
  return call.row().form == Form::section ? axis_named(call, "axis") : 0;
}

std::vector<std::optional<std::int64_t>> part_places(const Call& call) {
  std::vector<std::optional<std::int64_t>> places;
  const auto indices = call.operands.find("indices");
  const bool has_none = indices == call.operands.end() || has_no_values(call);
  const std::size_t count = has_none ? 0 : indices->second.count();
  for (std::size_t i = 0; i < count; ++i)
    places.push_back(place_of(call, integer_at(indices->second, i)));
  return places;
}

std::vector<EntryWrite> part_entries(const Call& call) {
  std::vector<EntryWrite> kept;
  if (call.row().form == Form::mask && call.operands.contains("mask")) {
    for_each_true(call, [&](const Position& at) { kept.push_back({{std::ssize(kept)}, at}); });
  }
  if (is_entry(call)) {
    const auto place = part_places(call).front();
    if (place) kept.push_back({{}, {*place}});
  }
  if (call.row().form != Form::flat) return kept;
  const auto places = part_places(call);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) continue;
    kept.push_back({position_of(call.operand("indices").shape, i),
                    position_of(call.operand("data").shape, static_cast<std::size_t>(*places[i]))});
  }
  return kept;
}

EntryCounts part_entry_counts(const Call& call) {
  const std::int64_t kept = std::ssize(part_entries(call));
  if (call.row().form == Form::mask) return {.all = kept};
  if (is_entry(call)) return {.all = 1, .dropped = 1 - kept};
  if (call.row().form != Form::flat) return {};
  const std::int64_t all = product(part_shape(call));
  return {.all = all, .dropped = all - kept};
}

std::optional<Position> first_wrong_place(const Call& call) {
  const auto places = part_places(call);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Dense& indices = call.operand("indices");
    const bool is_dropped = drops_outside(call) || drops_negative(call, integer_at(indices, i));
    if (!places[i] && !is_dropped) return position_of(indices.shape, i);
  }
  return std::nullopt;
}

void for_each_part_write(const Call& call, const std::function<void(const Write&)>& visit) {
  const Shape& updates = call.operand("updates").shape;
  switch (call.row().form) {
    case Form::flat:
      for (const EntryWrite& each : part_entries(call)) {
        const std::size_t number = row_major(call.operand("indices").shape, each.entry);
        visit({each.entry, each.coordinates, update_of(call, number)});
      }
      return;
    case Form::mask: return for_each_true_write(call, visit);
    case Form::diagonal:
      return for_each_on_diagonal(call, [&](const Position& to, const Position& from) {
        visit({std::nullopt, to, from});
      });
    default: break;
  }
  const std::size_t axis = axis_named(call, "axis");
  if (call.operands.contains("indices")) {
    const std::optional<std::int64_t> place = part_places(call).front();
    if (!place) return;
    for_each_index(updates, [&](const Position& from) {
      Position to = from;
      to.insert(to.begin() + static_cast<std::ptrdiff_t>(axis), *place);
      visit({is_entry(call) ? std::optional(Position{}) : std::nullopt, to, from});
    });
    return;
  }
  const std::vector<std::int64_t> along = sliced(call);
  for_each_index(updates, [&](const Position& from) {
    Position to = from;
    to[axis] = along[static_cast<std::size_t>(from[axis])];
    visit({std::nullopt, to, from});
  });
}

}  // namespace tscatter::oracle
