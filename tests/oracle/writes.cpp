#include "oracle/writes.hpp"

#include <algorithm>
#include <utility>

#include "oracle/index.hpp"
#include "oracle/parts.hpp"
#include "oracle/window.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::oracle {
namespace {

Shape part(const Shape& shape, std::size_t begin, std::size_t end) {
  const auto first = shape.begin();
  return {first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end)};
}

Position joined(const Position& a, const Position& b, const Position& c = {}) {
  Position all;
  all.reserve(a.size() + b.size() + c.size());
  for (const Position* part : {&a, &b, &c}) all.insert(all.end(), part->begin(), part->end());
  return all;
}

// ---- Indexed: an entry names a place in the axes [first, first + depth) of data.

struct Indexed {
  std::size_t first;
  std::size_t depth;
  Shape entries;
  // elements: the axis along which an index counts; along the others an entry goes where it stands.
  std::optional<std::size_t> along = std::nullopt;
  bool starts = false;  // indices say where along `along` the updates of each batch begin
  std::optional<WindowAxes> window = std::nullopt;
  // Of the call, looked up once.
  const Dense* indices = nullptr;
  const Shape* data = nullptr;
};

std::size_t axis_of(const Call& call) {
  const auto rank = static_cast<Int128>(call.operand("data").shape.size());
  const Int128 axis = given_axis(call);
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

// A vector may be a single index of rank 0.
Indexed rows_of(const Call& call) {
  Shape entries = call.operand("indices").shape;
  if (call.row().index_rank == IndexRank::vector && entries.empty()) entries = {1};
  return {.first = axis_of(call), .depth = 1, .entries = std::move(entries)};
}

Indexed segments_of(const Call& call) {
  return {.first = axis_of(call), .depth = 1, .entries = call.operand("indices").shape};
}

// One index of a vector may have rank 0.
Indexed elements_of(const Call& call) {
  const std::size_t rank = call.operand("data").shape.size();
  Shape entries = call.operand("indices").shape;
  if (call.row().takes_any_index && rank == 1 && entries.empty()) entries = {1};
  if (call.row().broadcasts_indices) {
    entries = call.operand("data").shape;
    entries[axis_of(call)] = call.operand("indices").shape[axis_of(call)];
  }
  return {.first = 0, .depth = rank, .entries = std::move(entries), .along = axis_of(call)};
}

Indexed nd_of(const Call& call) {
  const Shape& indices = call.operand("indices").shape;
  return {.first = 0,
          .depth = static_cast<std::size_t>(indices.back()),
          .entries = part(indices, 0, indices.size() - 1)};
}

Indexed batched_rows_of(const Call& call) {
  return {.first = 0, .depth = 2, .entries = call.operand("indices").shape, .along = 1};
}

Indexed starts_of(const Call& call) {
  const std::size_t axis = axis_of(call);
  return {.first = 0,
          .depth = axis + 1,
          .entries = part(call.operand("updates").shape, 0, axis + 1),
          .along = axis,
          .starts = true};
}

Indexed windows_of(const Call& call) {
  const WindowAxes axes = window_axes(call);
  return {.first = axes.first, .depth = axes.depth, .entries = axes.entries, .window = axes};
}

// Whether the block of a call is written whole, wherever it is to begin.
bool is_moved_inside(const Call& call) {
  return call.policies().outside == OutsideIndex::clip_start &&
         call.policies().negative != NegativeIndex::dropped;
}

std::optional<Indexed> indexed_by_form(const Call& call) {
  switch (call.row().form) {
    case Form::rows: return rows_of(call);
    case Form::segment: return segments_of(call);
    case Form::nd: return nd_of(call);
    case Form::elements: return elements_of(call);
    case Form::window: return windows_of(call);
    case Form::block:
      if (is_moved_inside(call)) return std::nullopt;
      return windows_of(call);
    case Form::start:
      if (!call.operands.contains("indices")) return std::nullopt;
      return starts_of(call);
    case Form::slice:
    case Form::index:
    case Form::flat:
    case Form::mask:
    case Form::section:
    case Form::diagonal: return std::nullopt;
    case Form::batched_rows: return batched_rows_of(call);
  }
  unreachable();
}

// nullopt where there are no index entries.
std::optional<Indexed> indexed(const Call& call) {
  std::optional<Indexed> axes = indexed_by_form(call);
  if (!axes) return axes;
  axes->data = &call.operand("data").shape;
  if (call.operands.contains("indices")) axes->indices = &call.operand("indices");
  return axes;
}

// The coordinates of an entry lie along the last axis of indices; that of rows has no such axis.
std::size_t coordinate_of(const Indexed& axes, const Position& at) {
  if (axes.along) return *axes.along;
  return at.size() > axes.entries.size() ? static_cast<std::size_t>(at.back()) : 0;
}

// Counted from the front; nullopt when it is out of range and has no place.
std::optional<std::int64_t> coordinate_at(const Call& call, const Indexed& axes,
                                          const Position& at) {
  const Dense& indices = *axes.indices;
  const Int128 size = (*axes.data)[axes.first + coordinate_of(axes, at)];
  const std::byte* const element =
      indices.at(call.row().broadcasts_indices ? within(indices.shape, at) : at);
  const Int128 index = load_integer(indices.type.dtype, element);
  const bool wraps = call.policies().negative == NegativeIndex::from_the_end;
  if (drops_negative(call, index)) return std::nullopt;
  if (index >= size || index < (wraps ? -size : Int128{0}))
    return place_outside(call.policies().outside, index, size);
  return static_cast<std::int64_t>(index < 0 ? index + size : index);
}

// ---- Starts: step t of a batch goes to its start + t.

struct Stretch {
  Int128 start;
  Int128 length;  // of updates
  Int128 size;    // of data

  bool fits() const { return start >= 0 && start + length <= size; }
};

Stretch stretch_of(const Call& call, std::size_t axis, std::int64_t batch) {
  Stretch stretch{.start = 0,
                  .length = call.operand("updates").shape[axis],
                  .size = call.operand("data").shape[axis]};
  if (call.operands.contains("indices"))
    stretch.start = integer_at(call.operand("indices"), static_cast<std::size_t>(batch));
  const bool wraps = call.policies().negative == NegativeIndex::from_the_end;
  if (wraps && stretch.start < 0 && stretch.start >= -stretch.size) stretch.start += stretch.size;
  return stretch;
}

bool is_refused(const Call& call, const Stretch& stretch) {
  return !drops_negative(call, stretch.start) && call.policies().outside == OutsideIndex::error &&
         !stretch.fits();
}

// nullopt: the step is dropped.
std::optional<std::int64_t> step_at(const Call& call, const Stretch& stretch, std::int64_t step) {
  const auto& [start, length, size] = stretch;
  if (drops_negative(call, start)) return std::nullopt;
  if (stretch.fits()) return static_cast<std::int64_t>(start + step);
  switch (call.policies().outside) {
    case OutsideIndex::error:
    case OutsideIndex::drop_window: return std::nullopt;
    case OutsideIndex::drop_elements:
      if (start + step < 0 || start + step >= size) return std::nullopt;
      return static_cast<std::int64_t>(start + step);
    case OutsideIndex::clip_start:
      return static_cast<std::int64_t>(std::clamp(start, Int128{0}, size - length) + step);
    case OutsideIndex::clip_index:
    case OutsideIndex::modulo: return place_outside(call.policies().outside, start + step, size);
  }
  unreachable();
}

std::optional<Position> first_wrong_start(const Call& call, std::size_t axis) {
  for (std::int64_t batch = 0; batch < call.operand("data").shape.front(); ++batch) {
    if (is_refused(call, stretch_of(call, axis, batch))) return Position{batch};
  }
  return std::nullopt;
}

// nullopt where one of them has no place.
std::optional<Position> coordinates_of(const Call& call, const Indexed& axes,
                                       const Position& entry) {
  if (axes.window) return window_coordinates(call, *axes.window, entry);
  if (axes.along) {
    const auto coordinate =
        axes.starts ? step_at(call, stretch_of(call, *axes.along, entry.front()), entry.back())
                    : coordinate_at(call, axes, entry);
    if (!coordinate) return std::nullopt;
    Position element = entry;
    element[*axes.along] = *coordinate;
    return element;
  }
  const bool has_last_axis = axes.indices->shape.size() > entry.size();
  Position coordinates;
  for (std::size_t j = 0; j < axes.depth; ++j) {
    const Position at = has_last_axis ? joined(entry, {static_cast<std::int64_t>(j)}) : entry;
    const auto coordinate = coordinate_at(call, axes, at);
    if (!coordinate) return std::nullopt;
    coordinates.push_back(*coordinate);
  }
  return coordinates;
}

Shape indexed_updates_shape(const Call& call, const Indexed& axes) {
  const Shape& data = call.operand("data").shape;
  return joined(part(data, 0, axes.first), axes.entries,
                part(data, axes.first + axes.depth, data.size()));
}

void for_each_indexed(const Call& call, const Indexed& axes,
                      const std::function<void(const Write&)>& visit) {
  const Shape& data = call.operand("data").shape;
  const Shape& updates = call.operand("updates").shape;
  // One element of any rank is accepted where rank 0 is required; and one value for all.
  const bool is_single =
      updates.empty() || (!axes.window && indexed_updates_shape(call, axes).empty());
  const bool is_broadcast = call.row().updates_shape == UpdatesShape::broadcast ||
                            call.row().updates_shape == UpdatesShape::broadcast_ones;
  const Shape behind = part(data, axes.first + axes.depth, data.size());
  const auto entries = entries_of(call);
  for (const auto& named : *entries) {
    const auto& entry = named.entry;
    const auto& to = named.coordinates;
    for_each_index(part(data, 0, axes.first), [&](const Position& before) {
      for_each_index(behind, [&](const Position& after) {
        Position update = joined(before, entry, after);
        if (is_single) update.assign(updates.size(), 0);
        if (is_broadcast) update = within(updates, update);
        if (axes.window) update = window_update(*axes.window, before, entry, after);
        visit({entry, joined(before, to, after), std::move(update)});
      });
    });
  }
}

// ---- A slice: on each axis of data the positions that it takes.

std::vector<std::vector<std::int64_t>> sliced_positions(const Call& call) {
  const Shape& shape = call.operand("data").shape;
  std::vector<std::vector<std::int64_t>> positions;
  for (const std::int64_t size : shape) positions.push_back(slice_positions(0, size, 1, size));
  const std::vector<Int128> axes = slice_axes(call);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Int128 axis = axes[i] < 0 ? axes[i] + static_cast<Int128>(shape.size()) : axes[i];
    const auto at = static_cast<std::size_t>(axis);
    positions[at] =
        slice_positions(integer_at(call.operand("start"), i), integer_at(call.operand("stop"), i),
                        integer_at(call.operand("step"), i), shape[at]);
  }
  return positions;
}

void for_each_sliced(const Call& call, const std::function<void(const Write&)>& visit) {
  const auto positions = sliced_positions(call);
  for_each_index(call.operand("updates").shape, [&](const Position& update) {
    Position element;
    for (std::size_t axis = 0; axis < update.size(); ++axis)
      element.push_back(positions[axis][static_cast<std::size_t>(update[axis])]);
    visit({std::nullopt, std::move(element), update});
  });
}

bool has_items(const Call& call) { return call.row().form == Form::index; }

}  // namespace

bool drops_outside(const Call& call) {
  const OutsideIndex policy = call.policies().outside;
  return policy == OutsideIndex::drop_window || policy == OutsideIndex::drop_elements;
}

bool drops_negative(const Call& call, Int128 index) {
  return index < 0 && call.policies().negative == NegativeIndex::dropped;
}

bool drops(const Call& call) { return drops_outside(call) || drops_negative(call, -1); }

void for_each_in_block(const Call& call, const std::function<void(const Write&)>& visit) {
  const Shape& data = call.operand("data").shape;
  const Shape& updates = call.operand("updates").shape;
  for_each_index(updates, [&](const Position& at) {
    Position to;
    for (std::size_t axis = 0; axis < data.size(); ++axis) {
      Int128 start = integer_at(call.operand("indices"), axis);
      if (start < 0 && call.policies().negative == NegativeIndex::from_the_end) start += data[axis];
      if (start + updates[axis] > data[axis]) start = data[axis] - updates[axis];
      to.push_back(static_cast<std::int64_t>(start < 0 ? 0 : start) + at[axis]);
    }
    visit({std::nullopt, std::move(to), at});
  });
}

std::optional<std::int64_t> place_outside(OutsideIndex policy, Int128 index, Int128 size) {
  if (size == 0) return std::nullopt;
  switch (policy) {
    case OutsideIndex::error:
    case OutsideIndex::drop_window:
    case OutsideIndex::drop_elements: return std::nullopt;
    case OutsideIndex::clip_start:
    case OutsideIndex::clip_index:
      return static_cast<std::int64_t>(std::clamp(index, Int128{0}, size - 1));
    case OutsideIndex::modulo: return static_cast<std::int64_t>((index % size + size) % size);
  }
  unreachable();
}

Int128 given_axis(const Call& call) {
  if (call.row().form == Form::segment) return 0;
  if (call.operands.contains("axis")) return integer_at(call.operand("axis"), 0);
  return call.row().attribute<std::int64_t>(call.attributes, "axis");
}

Int128 integer_at(const Dense& dense, std::size_t i) {
  return load_integer(dense.type.dtype, dense.element(i));
}

std::vector<std::int64_t> slice_positions(Int128 start, Int128 stop, Int128 step,
                                          std::int64_t size) {
  const Int128 lower = step < 0 ? -1 : 0;
  const Int128 upper = step < 0 ? size - 1 : size;
  const auto clamped = [&](Int128 value) {
    if (value < 0) return std::max(value + size, lower);
    return std::min(value, upper);
  };
  const Int128 end = clamped(stop);
  std::vector<std::int64_t> positions;
  for (Int128 at = clamped(start); step < 0 ? at > end : at < end; at += step) {
    positions.push_back(static_cast<std::int64_t>(at));
  }
  return positions;
}

std::vector<Int128> slice_axes(const Call& call) {
  const auto given = call.operands.find("axes");
  std::vector<Int128> axes(call.operand("start").count());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i] = given == call.operands.end() ? static_cast<Int128>(i) : integer_at(given->second, i);
  }
  return axes;
}

std::size_t first_indexed_axis(const Call& call) {
  if (has_items(call)) return item_entries(call).first;
  if (is_part(call)) return first_axis_of_part(call);
  const auto axes = indexed(call);
  return axes ? axes->first : 0;
}

namespace {

std::vector<EntryWrite> found_entries(const Call& call) {
  if (has_items(call)) return item_entries(call).kept;
  if (is_part(call)) return part_entries(call);
  std::vector<EntryWrite> entries;
  const auto axes = indexed(call);
  if (!axes) return entries;
  for_each_index(axes->entries, [&](const Position& entry) {
    const auto coordinates = coordinates_of(call, *axes, entry);
    if (coordinates || !drops(call)) entries.push_back({entry, coordinates.value()});
  });
  return entries;
}

}  // namespace

std::shared_ptr<const std::vector<EntryWrite>> entries_of(const Call& call) {
  if (call.answers && call.answers->entries) return call.answers->entries;
  return std::make_shared<const std::vector<EntryWrite>>(found_entries(call));
}

EntryCounts entry_counts(const Call& call) {
  if (has_items(call)) {
    const ItemEntries entries = item_entries(call);
    return {.all = entries.all,
            .dropped = entries.all - static_cast<std::int64_t>(entries.kept.size())};
  }
  if (is_part(call)) return part_entry_counts(call);
  const auto axes = indexed(call);
  if (!axes) return {};
  const std::int64_t all = product(axes->entries);
  return {.all = all, .dropped = all - static_cast<std::int64_t>(entries_of(call)->size())};
}

std::optional<Position> first_wrong_index(const Call& call) {
  if (is_part(call)) return first_wrong_place(call);
  const auto axes = indexed(call);
  std::optional<Position> first;
  if (!axes || drops_outside(call)) return first;
  if (axes->window) return first_wrong_window(call);
  if (axes->starts) return first_wrong_start(call, *axes->along);
  if (call.row().broadcasts_indices && product(axes->entries) == 0) return first;
  for_each_index(call.operand("indices").shape, [&](const Position& at) {
    const Dense& indices = call.operand("indices");
    const bool is_dropped = drops_negative(call, load_integer(indices.type.dtype, indices.at(at)));
    if (!first && !is_dropped && !coordinate_at(call, *axes, at)) first = at;
  });
  return first;
}

const Operation& row_called(std::string_view operation) {
  thread_local std::string name;
  thread_local const Operation* row = nullptr;
  if (row == nullptr || name != operation) {
    name = operation;
    row = find_operation(operation);
  }
  return *row;
}

Position place_in_indices(const Call& call, const Position& entry) {
  if (call.row().form == Form::window || call.row().form == Form::block)
    return window_place(window_axes(call), entry);
  return call.row().form == Form::start ? Position{entry.front()} : entry;
}

void for_each_write(const Call& call, const std::function<void(const Write&)>& visit) {
  if (has_items(call)) {
    for_each_item_write(call, visit);
  } else if (is_part(call)) {
    for_each_part_write(call, visit);
  } else if (const auto axes = indexed(call)) {
    for_each_indexed(call, *axes, visit);
  } else if (call.row().form == Form::block) {
    for_each_in_block(call, visit);
  } else if (call.row().form == Form::start) {  // without indices: from the first place on
    for_each_index(call.operand("updates").shape, [&](const Position& at) {
      visit({std::nullopt, at, at});
    });
  } else {
    for_each_sliced(call, visit);
  }
}

Writes writes_of(const Call& call) {
  const Dense& data = call.operand("data");
  Writes writes{.of_element = std::vector<std::vector<Write>>(data.count()),
                .entries = {},
                .first_axis = first_indexed_axis(call)};
  const auto entries = entries_of(call);
  for (const EntryWrite& each : *entries)
    writes.entries.push_back({place_in_indices(call, each.entry), each.coordinates});
  for_each_write(call, [&](const Write& write) {
    writes.of_element[row_major(data.shape, write.element)].push_back(write);
  });
  return writes;
}

Shape updates_shape(const Call& call) {
  if (has_items(call)) return indexed_shape(call);
  if (is_part(call)) return part_shape(call);
  if (const auto axes = indexed(call)) return indexed_updates_shape(call, *axes);
  Shape shape;
  for (const auto& positions : sliced_positions(call))
    shape.push_back(static_cast<std::int64_t>(positions.size()));
  return shape;
}

}  // namespace tscatter::oracle
