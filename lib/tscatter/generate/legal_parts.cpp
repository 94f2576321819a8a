#include "tscatter/generate/legal_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tscatter/core/unreachable.hpp"
#include "tscatter/ops/forms/forms.hpp"

namespace tscatter::generate {
namespace {

bool has_negative_indices(const Setting& setting, const Entries& entries) {
  return policies_of(setting).negative == NegativeIndex::from_the_end && is_negative(setting) &&
         may_index_from_the_end(setting) && !entries.coordinates.empty();
}

bool has_room_outside(const Policies& policies, const Shape& sizes) {
  return can_drop(policies) || std::ranges::count(sizes, 0) == 0;
}

// Whether the case's index dtype has a number outside of each axis.
bool counts_beyond(const Setting& setting, const Shape& sizes) {
  const DType dtype = draw_index_dtype(setting);
  return std::ranges::all_of(
      sizes, [&](std::int64_t size) { return holds(dtype, size) || holds(dtype, -size - 1); });
}

// Where a policy says what becomes of them, two in three cases have indices out of range. They may
// meet others, unless they are dropped.
bool has_indices_outside(const Setting& setting, const Pattern& pattern, const Entries& entries,
                         const Shape& sizes) {
  const Policies policies = policies_of(setting);
  const bool is_allowed = setting.entries != IndexEntries::plain &&
                          policies.outside != OutsideIndex::error &&
                          (can_drop(policies) || pattern.duplicates != Duplicates::none);
  return is_allowed && setting.draws.turn(Stream::outside, 3) != 0 &&
         !entries.coordinates.empty() && has_room_outside(policies, sizes) &&
         counts_beyond(setting, sizes);
}

// Of those whose negative indices are dropped, every third case has some.
std::string let_be_dropped(const Setting& setting, Entries& entries) {
  const bool is_allowed = policies_of(setting).negative == NegativeIndex::dropped &&
                          is_negative(setting) && may_index_from_the_end(setting);
  if (!is_allowed || entries.coordinates.empty()) return "";
  for (std::size_t i = 0; i < entries.coordinates.size(); i += 3)
    entries.coordinates[i] = -1 - static_cast<std::int64_t>(i % 5);
  return "dropped";
}

std::string let_be_outside(const Setting& setting, const Pattern& pattern, Entries& entries,
                           const Shape& sizes) {
  if (!has_indices_outside(setting, pattern, entries, sizes)) return "";
  make_outside(setting.draws, entries, sizes, draw_index_dtype(setting));
  return "outside";
}

constexpr std::int64_t longest_line = 64;

// Every other case has values of fewer axes, or of length 1.
Shape broadcast_from(const Setting& setting, const Shape& result) {
  switch (setting.draws.turn(Stream::scalar_form, 6)) {
    case 1: return {};
    case 3: return result.empty() ? result : Shape(result.begin() + 1, result.end());
    case 5: {
      Shape ones = result;
      if (!ones.empty()) ones.back() = 1;
      return ones;
    }
    default: return result;
  }
}

// Every other case has longer updates along some axes, where there is room for them.
Shape box_around(const Setting& setting, Shape shape) {
  if (setting.draws.turn(Stream::scalar_form, 2) == 0) return shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    Shape longer = shape;
    longer[axis] += static_cast<std::int64_t>(setting.draws.word(Stream::repeats, axis) % 3);
    if (element_count(longer) <= setting.limit) shape = std::move(longer);
  }
  return shape;
}

Shape flattened(const Setting& setting, const Shape& shape) {
  return setting.draws.turn(Stream::scalar_form, 2) == 0 ? shape : Shape{element_count(shape)};
}

// One value for all, half as many as places, or more, where there is room for them.
Shape repeated_for(const Setting& setting, const Shape& required) {
  const std::int64_t count = element_count(required);
  switch (setting.draws.turn(Stream::scalar_form, 6)) {
    case 1: return {};
    case 3: return {std::max<std::int64_t>(count / 2, 1)};
    case 5: return {std::min(count + 1, std::max(setting.limit, count))};
    default: return required;
  }
}

}  // namespace

Shape given_updates(const Setting& setting, const Shape& required) {
  switch (setting.operation->updates_shape) {
    case UpdatesShape::exact:
    case UpdatesShape::one_element: return required;
    case UpdatesShape::broadcast:
    case UpdatesShape::broadcast_ones: return broadcast_from(setting, required);
    case UpdatesShape::box: return box_around(setting, required);
    case UpdatesShape::box_or_fill:
      return setting.draws.turn(Stream::scalar_form, 4) == 1 ? Shape{}
                                                             : box_around(setting, required);
    case UpdatesShape::fill: return {};
    case UpdatesShape::as_many: return flattened(setting, required);
    case UpdatesShape::at_least: return box_around(setting, flattened(setting, required));
    case UpdatesShape::repeat: return repeated_for(setting, required);
  }
  unreachable();
}

Shape updates_of(const Setting& setting, const GeneratedCase& made) {
  return given_updates(
      setting,
      forms::info(setting.operation->form).updates_shape(*setting.operation, arguments_of(made)));
}

void put_axis(GeneratedCase& made, const Setting& setting, std::int64_t axis) {
  if (setting.operation->find_attribute("axis") != nullptr) {
    made.attributes.emplace("axis", axis);
  } else {
    made.operands.push_back({"axis", axis_tensor(setting, axis)});
  }
}

std::string axis_word(const GeneratedCase& made) {
  const auto axis = std::ranges::find(made.operands, "axis", &NamedTensor::operand);
  return axis == made.operands.end() || axis->tensor.header.rank() == 0 ? "" : "axis-as-list";
}

GeneratedTensor drawn_mask(const Setting& setting, const Shape& shape) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = setting.draws.word(Stream::places, i) % 3 == 0 ? 1 : 0;
  return integers(DType::boolean, shape, values);
}

std::int64_t named_by_dtype(const Setting& setting, std::int64_t size) {
  const DType dtype = draw_index_dtype(setting);
  if (full_bits(setting.set, setting.dtype) > 0 || size == 0 || holds(dtype, size - 1)) return size;
  std::int64_t places = 1;
  while (holds(dtype, places)) places *= 2;
  return places;
}

Shape named_by_dtype(const Setting& setting, Shape sizes) {
  for (std::int64_t& size : sizes) size = named_by_dtype(setting, size);
  return sizes;
}

Entries entries_for(const Setting& setting, const Pattern& pattern, const Shape& sizes,
                    std::int64_t block, std::uint64_t line) {
  const bool is_full = full_bits(setting.set, setting.dtype) > 0;
  return draw_entries(setting.draws, {.sizes = named_by_dtype(setting, sizes),
                                      .block = block,
                                      .limit = setting.limit,
                                      .extent = is_full ? Extent::all : Extent::few,
                                      .pattern = pattern,
                                      .entries = setting.entries,
                                      .line = line});
}

std::string duplicates_word(const Entries& entries, const Pattern& pattern) {
  if (entries.count == 0) return "";
  if (entries.places == entries.count) return "unique";
  return pattern.duplicates == Duplicates::some ? "some-duplicates" : "heavy-duplicates";
}

std::string arrangement_word(const Entries& entries, const Pattern& pattern) {
  if (entries.count < 2) return "";
  return std::string(arrangement_words[static_cast<std::size_t>(pattern.arrangement)]);
}

std::string grid_word(const Entries& entries) {
  return std::string(grid_words[static_cast<std::size_t>(entries.grid)]);
}

GeneratedTensor index_tensor(const Setting& setting, Shape shape, const Entries& entries) {
  const DType dtype = holding(draw_index_dtype(setting), entries.coordinates);
  return integers(dtype, std::move(shape), entries.coordinates);
}

std::string index_word(const GeneratedTensor& indices) {
  return std::string(info(indices.header.type.dtype).short_name);
}

std::string set_word(const Setting& setting) { return std::string(to_string(setting.set)); }

// Every third case has negative indices or axes.
bool is_negative(const Setting& setting) { return setting.draws.turn(Stream::negative, 3) == 0; }

bool may_index_from_the_end(const Setting& setting) {
  const bool has_no_sign = setting.index_dtype && !holds(*setting.index_dtype, -1);
  return setting.entries != IndexEntries::plain && !has_no_sign;
}

std::string let_count_otherwise(const Setting& setting, const Pattern& pattern, Entries& entries,
                                const Shape& sizes, const Shape& starts) {
  const bool negative = has_negative_indices(setting, entries);
  if (negative) make_negative(entries, sizes, named_by_dtype(setting, sizes));
  const std::string outside = let_be_outside(setting, pattern, entries, starts);
  return joined({negative ? "negative-indices" : "", outside, let_be_dropped(setting, entries)});
}

std::string let_count_otherwise(const Setting& setting, const Pattern& pattern, Entries& entries,
                                const Shape& sizes) {
  return let_count_otherwise(setting, pattern, entries, sizes, sizes);
}

Shape part(const Shape& shape, std::size_t first, std::size_t end) {
  return {shape.begin() + static_cast<std::ptrdiff_t>(first),
          shape.begin() + static_cast<std::ptrdiff_t>(end)};
}

Shape together(Shape front, const Shape& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

GeneratedTensor axis_tensor(const Setting& setting, std::int64_t axis) {
  const DType dtype = holding(draw_integer_dtype(setting.draws, 1), {axis});
  return integers(dtype, Shape(setting.draws.turn(Stream::scalar_form, 2), 1), {axis});
}

// How many entries indices have along the axis of `size`, beside `lines` lines.
std::int64_t line_length(const Setting& setting, const Pattern& pattern, std::int64_t size,
                         std::int64_t lines) {
  if (full_bits(setting.set, setting.dtype) > 0 || size == 0) return size;
  size = named_by_dtype(setting, size);
  const bool may_be_longer = setting.operation->label(Check::indices_length).empty();
  std::int64_t most = std::min(longest_line, setting.limit / std::max<std::int64_t>(lines, 1));
  if (pattern.duplicates == Duplicates::some)
    most = std::min(most, std::max<std::int64_t>(size, 2));
  if (pattern.duplicates == Duplicates::none || !may_be_longer) most = std::min(most, size);
  const auto below = static_cast<std::uint64_t>(most / 2 + 1);
  return most - static_cast<std::int64_t>(setting.draws.word(Stream::entry_count, 0) % below);
}

// Entries of that shape: lines along the axis, each with places of its own.
Entries entries_along(const Setting& setting, const Pattern& pattern, const Shape& shape,
                      std::size_t axis, std::int64_t size) {
  Entries entries{.shape = shape, .coordinates = {}, .count = element_count(shape)};
  const std::int64_t places_named = named_by_dtype(setting, size);
  entries.coordinates.resize(static_cast<std::size_t>(entries.count));
  const std::int64_t behind = element_count(part(shape, axis + 1, shape.size()));
  const std::int64_t lines = element_count(part(shape, 0, axis)) * behind;
  for (std::int64_t line = 0; entries.count > 0 && line < lines; ++line) {
    const std::vector<std::int64_t> places = draw_line(
        setting.draws, pattern, places_named, shape[axis], static_cast<std::uint64_t>(line));
    entries.places +=
        static_cast<std::int64_t>(std::set<std::int64_t>(places.begin(), places.end()).size());
    std::int64_t at = line / behind * shape[axis] * behind + line % behind;
    for (const std::int64_t place : places) {
      entries.coordinates[static_cast<std::size_t>(at)] = place;
      at += behind;
    }
  }
  return entries;
}

// How long updates are along the axis of `size`.
std::int64_t steps_of(const Setting& setting, std::int64_t size, std::uint64_t axis) {
  if (full_bits(setting.set, setting.dtype) > 0 || size == 0) return size;
  const std::uint64_t word = setting.draws.word(Stream::entry_count, axis);
  return 1 + static_cast<std::int64_t>(word % static_cast<std::uint64_t>(size));
}

}  // namespace tscatter::generate
