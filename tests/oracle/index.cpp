#include "oracle/index.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tscatter::oracle {
namespace {

const Dense* tensor_of(const Call& call, const IndexItem& item) {
  const auto* named = std::get_if<OperandItem>(&item.what);
  return named == nullptr ? nullptr : &call.operand(named->operand);
}

bool is_mask(const Dense& tensor) { return tensor.type.dtype == DType::boolean; }

// How many axes of data an item takes; an ellipsis those that the others leave.
std::size_t axes_of(const Call& call, const IndexItem& item) {
  const Dense* tensor = tensor_of(call, item);
  if (tensor != nullptr) return is_mask(*tensor) ? tensor->shape.size() : 1;
  const bool is_one = std::holds_alternative<IntegerItem>(item.what) ||
                      std::holds_alternative<SliceItem>(item.what);
  return is_one ? 1 : 0;
}

std::size_t axes_of_all(const Call& call) {
  std::size_t axes = 0;
  for (const IndexItem& item : call.index) axes += axes_of(call, item);
  return axes;
}

// The items without `...`: whole slices in its place, or at the end.
std::vector<IndexItem> written_out(const Call& call) {
  const std::size_t left = call.operand("data").shape.size() - axes_of_all(call);
  std::vector<IndexItem> items;
  bool has_ellipsis = false;
  for (const IndexItem& item : call.index) {
    if (!std::holds_alternative<EllipsisItem>(item.what)) {
      items.push_back(item);
      continue;
    }
    has_ellipsis = true;
    items.insert(items.end(), left, IndexItem{SliceItem{}, ":"});
  }
  if (!has_ellipsis) items.insert(items.end(), left, IndexItem{SliceItem{}, ":"});
  return items;
}

// Whether something that is no position stands between two items that are. A `...` without axes
// does, too.
bool is_apart(const Call& call, bool takes_integers) {
  int groups = 0;
  bool was_position = false;
  for (const IndexItem& item : call.index) {
    const bool is_position = tensor_of(call, item) != nullptr ||
                             (takes_integers && std::holds_alternative<IntegerItem>(item.what));
    if (is_position && !was_position) ++groups;
    was_position = is_position;
  }
  return groups > 1;
}

std::vector<Position> true_places(const Dense& mask) {
  std::vector<Position> places;
  for_each_index(mask.shape, [&](const Position& at) {
    if (*mask.at(at) != std::byte{0}) places.push_back(at);
  });
  return places;
}

// Where a position of `together` is in a tensor of this shape that is broadcast to it.
Position within(const Shape& shape, const Position& at) {
  Position place(shape.size());
  const std::size_t more = at.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) place[i] = shape[i] == 1 ? 0 : at[more + i];
  return place;
}

Int128 number_at(const ItemPositions& item, const Position& at) {
  if (item.tensor == nullptr) return item.single;
  return load_integer(item.tensor->type.dtype, item.tensor->at(at));
}

// nullopt: it has no place.
std::optional<std::int64_t> place_of(const Call& call, const ItemPositions& item,
                                     const Position& at) {
  const Int128 size = call.operand("data").shape[item.axis];
  const Int128 number = number_at(item, at);
  const bool wraps = call.row().policies.negative == NegativeIndex::from_the_end;
  const Int128 counted = number < 0 && wraps ? number + size : number;
  if (counted >= 0 && counted < size) return static_cast<std::int64_t>(counted);
  return place_outside(call.row().policies.outside, number, size);
}

void add_slice(IndexAxes& axes, const SliceItem& slice, std::int64_t size) {
  const Int128 step = slice.step.value_or(1);
  const Int128 far = Int128{1} << 64U;
  const Int128 start = slice.start ? Int128{*slice.start} : (step < 0 ? far : Int128{0});
  const Int128 stop = slice.stop ? Int128{*slice.stop} : (step < 0 ? -far : far);
  axes.result.push_back({.count = 0, .axis = axes.slices.size()});
  axes.slices.push_back(slice_positions(start, stop, step, size));
  axes.result.back().count = static_cast<std::int64_t>(axes.slices.back().size());
}

ItemPositions positions_of(const Call& call, const IndexItem& item, std::size_t axis) {
  ItemPositions made{.text = item.text, .tensor = tensor_of(call, item), .axis = axis};
  if (const auto* integer = std::get_if<IntegerItem>(&item.what)) made.single = integer->index;
  if (made.is_mask()) {
    made.places = true_places(*made.tensor);
    made.shape = {static_cast<std::int64_t>(made.places.size())};
  } else if (made.tensor != nullptr) {
    made.shape = made.tensor->shape;
  }
  return made;
}

// nullopt: they do not broadcast.
std::optional<Shape> together_of(const std::vector<ItemPositions>& all) {
  std::size_t rank = 0;
  for (const ItemPositions& each : all) rank = std::max(rank, each.shape.size());
  Shape together(rank, 1);
  for (const ItemPositions& each : all) {
    for (std::size_t i = 0; i < each.shape.size(); ++i) {
      std::int64_t& size = together[rank - each.shape.size() + i];
      if (size != 1 && each.shape[i] != 1 && size != each.shape[i]) return std::nullopt;
      if (size == 1) size = each.shape[i];
    }
  }
  return together;
}

bool is_whole(const IndexAxes& axes, const Shape& data, std::size_t axis) {
  const std::vector<std::int64_t>& slice = axes.slices[axis];
  if (static_cast<std::int64_t>(slice.size()) != data[axis]) return false;
  for (const ItemPositions& each : axes.positions) {
    const std::size_t end =
        each.axis + (each.is_mask() ? each.tensor->shape.size() : std::size_t{1});
    if (axis >= each.axis && axis < end) return false;
  }
  return std::ranges::is_sorted(slice);
}

void find_entries(IndexAxes& axes, const Shape& data) {
  std::size_t end = data.size();
  while (end > 0 && is_whole(axes, data, end - 1)) --end;
  while (axes.first < end && is_whole(axes, data, axes.first)) ++axes.first;
  axes.depth = end - axes.first;
  for (std::size_t i = 0; i < axes.result.size(); ++i) {
    const ResultAxis& each = axes.result[i];
    const bool is_named =
        each.is_position || (each.axis && *each.axis >= axes.first && *each.axis < end);
    if (!is_named) continue;
    axes.of_entries.push_back(i);
    axes.entries.push_back(each.count);
  }
}

}  // namespace

Shape IndexAxes::shape() const {
  Shape shape;
  for (const ResultAxis& each : result) shape.push_back(each.count);
  return shape;
}

bool has_positions(const Call& call) {
  std::size_t axis = 0;
  for (const IndexItem& item : written_out(call)) {
    if (tensor_of(call, item) != nullptr) return true;
    if (const auto* integer = std::get_if<IntegerItem>(&item.what)) {
      const std::int64_t size = call.operand("data").shape[axis];
      const bool wraps = call.row().policies.negative == NegativeIndex::from_the_end;
      if (integer->index >= size || integer->index < (wraps ? -size : 0)) return true;
    }
    axis += axes_of(call, item);
  }
  return false;
}

IndexAxes index_axes(const Call& call) {
  const Shape& data = call.operand("data").shape;
  const bool takes_integers = has_positions(call);
  IndexAxes axes;
  std::optional<std::size_t> at;  // of the first position, in the result
  for (const IndexItem& item : written_out(call)) {
    const auto* integer = std::get_if<IntegerItem>(&item.what);
    if (const auto* slice = std::get_if<SliceItem>(&item.what)) {
      add_slice(axes, *slice, data[axes.slices.size()]);
    } else if (std::holds_alternative<NewAxisItem>(item.what)) {
      axes.result.push_back({.count = 1});
    } else if (integer != nullptr && !takes_integers) {
      const std::int64_t size = data[axes.slices.size()];
      axes.slices.push_back({integer->index < 0 ? integer->index + size : integer->index});
    } else {
      if (!at) at = axes.result.size();
      axes.positions.push_back(positions_of(call, item, axes.slices.size()));
      axes.slices.resize(axes.slices.size() + axes_of(call, item));
    }
  }
  axes.together = *together_of(axes.positions);
  const std::size_t place = is_apart(call, takes_integers) ? 0 : at.value_or(0);
  for (std::size_t i = 0; i < axes.together.size(); ++i) {
    axes.result.insert(axes.result.begin() + static_cast<std::ptrdiff_t>(place + i),
                       {.count = axes.together[i], .is_position = true});
  }
  find_entries(axes, data);
  return axes;
}

std::optional<Check> broken_index(const Call& call) {
  const Shape& data = call.operand("data").shape;
  if (axes_of_all(call) > data.size()) return Check::indices_rank;
  if (std::ranges::count_if(call.index, [](const IndexItem& each) {
        return std::holds_alternative<EllipsisItem>(each.what);
      }) > 1)
    return Check::indices_rank;
  std::size_t axis = 0;
  std::vector<ItemPositions> all;
  for (const IndexItem& item : written_out(call)) {
    const auto* slice = std::get_if<SliceItem>(&item.what);
    if (slice != nullptr && slice->step == 0) return Check::step_not_zero;
    if (const Dense* tensor = tensor_of(call, item)) {
      const std::size_t end = axis + tensor->shape.size();
      if (!is_mask(*tensor) && !is_integer(tensor->type.dtype)) return Check::indices_dtype;
      const bool fits =
          !tensor->shape.empty() &&
          std::equal(tensor->shape.begin(), tensor->shape.end(),
                     data.begin() + static_cast<std::ptrdiff_t>(axis),
                     data.begin() + static_cast<std::ptrdiff_t>(std::min(end, data.size())));
      if (is_mask(*tensor) && !fits) return Check::indices_shape;
      all.push_back(positions_of(call, item, axis));
    }
    axis += axes_of(call, item);
  }
  if (!together_of(all)) return Check::indices_shape;
  return std::nullopt;
}

std::optional<Position> index_coordinates(const Call& call, const IndexAxes& axes,
                                          const Position& entry) {
  Position coordinates(axes.slices.size(), 0);
  const Position at = index_place(axes, entry);
  for (std::size_t i = 0; i < entry.size(); ++i) {
    const ResultAxis& each = axes.result[axes.of_entries[i]];
    if (each.axis) coordinates[*each.axis] = axes.slices[*each.axis][static_cast<std::size_t>(entry[i])];
  }
  for (std::size_t axis = 0; axis < axes.slices.size(); ++axis) {  // integers
    const bool is_result = std::ranges::any_of(
        axes.result, [&](const ResultAxis& each) { return each.axis == axis; });
    if (!is_result && !axes.slices[axis].empty()) coordinates[axis] = axes.slices[axis].front();
  }
  for (const ItemPositions& item : axes.positions) {
    const Position place = within(item.shape, at);
    if (item.is_mask()) {
      std::ranges::copy(item.places[static_cast<std::size_t>(place.front())],
                        coordinates.begin() + static_cast<std::ptrdiff_t>(item.axis));
      continue;
    }
    const auto coordinate = place_of(call, item, place);
    if (!coordinate) return std::nullopt;
    coordinates[item.axis] = *coordinate;
  }
  return Position(coordinates.begin() + static_cast<std::ptrdiff_t>(axes.first),
                  coordinates.begin() + static_cast<std::ptrdiff_t>(axes.first + axes.depth));
}

Position index_update(const IndexAxes& axes, const Position& before, const Position& entry,
                      const Position& after) {
  Position update(axes.result.size(), 0);
  for (std::size_t i = 0; i < entry.size(); ++i) update[axes.of_entries[i]] = entry[i];
  for (std::size_t i = 0; i < axes.result.size(); ++i) {
    const std::optional<std::size_t>& axis = axes.result[i].axis;
    if (!axis) continue;
    if (*axis < axes.first) update[i] = before[*axis];
    if (*axis >= axes.first + axes.depth) update[i] = after[*axis - axes.first - axes.depth];
  }
  return update;
}

Position index_place(const IndexAxes& axes, const Position& entry) {
  Position place;
  for (std::size_t i = 0; i < entry.size(); ++i) {
    if (axes.result[axes.of_entries[i]].is_position) place.push_back(entry[i]);
  }
  return place;
}

std::optional<std::string> first_wrong_position(const Call& call) {
  for (const ItemPositions& item : index_axes(call).positions) {
    if (item.is_mask()) continue;
    std::optional<Position> first;
    for_each_index(item.shape, [&](const Position& at) {
      if (!first && !place_of(call, item, at)) first = at;
    });
    if (!first) continue;
    return first->empty() ? item.text : fmt::format("{}[{}]", item.text, fmt::join(*first, ", "));
  }
  return std::nullopt;
}

}  // namespace tscatter::oracle
