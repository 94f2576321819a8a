#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tscatter/generate/legal_parts.hpp"

namespace tscatter::generate {

// ---- nd

namespace {

Shape nd_updates_shape(const Setting& setting, const Shape& entries, const Shape& block) {
  Shape shape = together(entries, block);
  const bool takes_one_element = setting.operation->updates_shape == UpdatesShape::one_element;
  if (shape.empty() && takes_one_element)
    shape.assign(setting.draws.turn(Stream::scalar_form, 3), 1);
  return shape;
}

// As an operand, or what it is made from.
void put_data(GeneratedCase& made, const Setting& setting, const Shape& shape,
              std::int64_t entries) {
  if (!is_made(setting.operation->base))
    return made.operands.push_back({"data", data_values(setting, shape, entries)});
  const std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  made.operands.push_back({"shape", integers(holding(draw_index_dtype(setting), sizes),
                                             {static_cast<std::int64_t>(shape.size())}, sizes)});
}

}  // namespace

GeneratedCase nd_case(const Setting& setting) {
  const auto [rank, depth] = draw_frame(setting);
  const auto [data, style_word] = draw_data_shape(setting, rank);
  const Shape sizes = part(data, 0, depth);
  const Shape block = part(data, depth, rank);
  Entries entries = entries_for(setting, sizes, element_count(block));
  let_count_otherwise(setting, entries, sizes);
  const Shape depth_axis{static_cast<std::int64_t>(depth)};
  GeneratedTensor indices = index_tensor(setting, together(entries.shape, depth_axis), entries);
  GeneratedCase made;
  made.name = joined({duplicates_word(entries), arrangement_word(entries), entries.counted,
                      to_string(setting.set), fmt::format("rank-{}-depth-{}", rank, depth),
                      style_word, grid_word(entries), index_word(indices)});
  put_data(made, setting, data, entries.count);
  made.operands.push_back({"indices", std::move(indices)});
  made.operands.push_back(
      {"updates",
       update_values(setting, nd_updates_shape(setting, entries.shape, block), entries.count)});
  return made;
}

// ---- rows

namespace {

// Where indices must be a vector, a single one may have rank 0.
Shape shape_of_rows(const Setting& setting, const Entries& entries) {
  if (setting.operation->index_rank == IndexRank::any) return entries.shape;
  const bool is_scalar = entries.count == 1 && setting.entries != IndexEntries::plain &&
                         setting.draws.turn(Stream::scalar_form, 2) == 1;
  return is_scalar ? Shape{} : Shape{entries.count};
}

}  // namespace

GeneratedCase rows_case(const Setting& setting) {
  const Frame frame = draw_frame(setting);
  const std::size_t rank = frame.rank;
  const std::size_t axis = frame.axes % rank;
  const auto [data, style_word] = draw_data_shape(setting, rank);
  const Shape before = part(data, 0, axis);
  const Shape behind = part(data, axis + 1, rank);
  Entries entries =
      entries_for(setting, {data[axis]}, element_count(before) * element_count(behind));
  let_count_otherwise(setting, entries, {data[axis]});
  GeneratedTensor indices = index_tensor(setting, shape_of_rows(setting, entries), entries);
  GeneratedCase made;
  made.operands.push_back({"data", data_values(setting, data, entries.count)});
  made.operands.push_back({"indices", std::move(indices)});
  put_axis(made, setting, axis, rank);
  const Shape updates = updates_of(setting, made);
  made.name = joined({duplicates_word(entries), arrangement_word(entries), entries.counted,
                      to_string(setting.set), fmt::format("rank-{}-axis-{}", rank, axis),
                      axis_words(made, setting), style_word, grid_word(entries),
                      index_word(made.operand("indices"))});
  // Behind indices.
  made.operands.insert(made.operands.begin() + 2,
                       {"updates", update_values(setting, updates, entries.count)});
  return made;
}

// ---- elements

namespace {

// How many entries indices have along the axis of `size`, beside `lines` lines.
std::int64_t line_length(const Setting& setting, std::int64_t size, std::int64_t lines) {
  constexpr std::int64_t longest = 64;
  if (full_bits(setting.set, setting.dtype) > 0 || size == 0) return size;
  size = named_by_dtype(setting, size);
  const bool may_be_longer = setting.operation->label(Check::indices_length).empty();
  const Duplicates duplicates = draw_pattern(setting.draws, setting.duplicates).duplicates;
  std::int64_t most = std::min(longest, setting.limit / std::max<std::int64_t>(lines, 1));
  if (duplicates == Duplicates::some) most = std::min(most, std::max<std::int64_t>(size, 2));
  if (duplicates == Duplicates::none || !may_be_longer) most = std::min(most, size);
  const auto below = static_cast<std::uint64_t>(most / 2 + 1);
  return most - static_cast<std::int64_t>(setting.draws.word(Stream::entry_count, 0) % below);
}

// Entries of that shape: lines along the axis, each with places of its own.
Entries entries_along(const Setting& setting, const Shape& shape, std::size_t axis,
                      std::int64_t size) {
  Entries entries{.shape = shape,
                  .coordinates = {},
                  .count = element_count(shape),
                  .pattern = draw_pattern(setting.draws, setting.duplicates),
                  .counted = {}};
  const std::int64_t places_named = named_by_dtype(setting, size);
  entries.coordinates.resize(static_cast<std::size_t>(entries.count));
  const std::int64_t behind = element_count(part(shape, axis + 1, shape.size()));
  const std::int64_t lines = element_count(part(shape, 0, axis)) * behind;
  for (std::int64_t line = 0; entries.count > 0 && line < lines; ++line) {
    const std::vector<std::int64_t> places =
        draw_line(setting.draws, entries.pattern, places_named, shape[axis],
                  static_cast<std::uint64_t>(line));
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

// Data's sizes, every other one shortened, to 1 where it is broadcast, with the axis still as it is
// in data.
Shape sizes_beside_axis(const Setting& setting, Shape sizes, std::size_t axis) {
  const bool is_broadcast = setting.operation->broadcasts_indices;
  const bool is_full = full_bits(setting.set, setting.dtype) > 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::uint64_t word = setting.draws.word(Stream::entry_count, 1 + i);
    if (is_full || i == axis || sizes[i] == 0 || word % 2 == 0) continue;
    const auto size = static_cast<std::uint64_t>(sizes[i]);
    sizes[i] = is_broadcast ? 1 : 1 + static_cast<std::int64_t>((word >> 1U) % size);
  }
  return sizes;
}

// Updates may be broadcast along axes of length 0.
Shape without_zeros(Shape shape) {
  for (std::int64_t& size : shape) size = std::max<std::int64_t>(size, 1);
  return shape;
}

std::string_view sizes_word(const Shape& data, const Shape& indices, std::size_t axis) {
  if (indices == data) return "of-data-shape";
  return indices[axis] > data[axis] ? "longer-axis" : "";
}

}  // namespace

GeneratedCase elements_case(const Setting& setting) {
  const Frame frame = draw_frame(setting);
  const std::size_t axis = frame.axes % frame.rank;
  const auto [data, style_word] = draw_data_shape(setting, frame.rank);
  Shape shape = sizes_beside_axis(setting, data, axis);
  const Shape updated = setting.operation->broadcasts_indices ? without_zeros(data) : shape;
  const std::int64_t lines = element_count(part(updated, 0, axis)) *
                             element_count(part(updated, axis + 1, updated.size()));
  shape[axis] = line_length(setting, data[axis], lines);
  Entries entries = entries_along(setting, shape, axis, data[axis]);
  let_count_otherwise(setting, entries, {data[axis]});
  GeneratedTensor indices = index_tensor(setting, shape, entries);
  GeneratedCase made;
  put_axis(made, setting, axis, frame.rank);
  made.name = joined({duplicates_word(entries), arrangement_word(entries), entries.counted,
                      to_string(setting.set), fmt::format("rank-{}-axis-{}", frame.rank, axis),
                      axis_words(made, setting), style_word, sizes_word(data, shape, axis),
                      index_word(indices)});
  made.operands.push_back({"data", data_values(setting, data, shape[axis])});
  made.operands.push_back({"indices", std::move(indices)});
  const Shape updates = updates_of(setting, made);
  made.operands.push_back(
      {"updates", update_values(setting, updates, shape[axis], scaled_entries)});
  return made;
}

// ---- batched_rows

GeneratedCase batched_rows_case(const Setting& setting) {
  constexpr std::size_t rank = 3;
  const auto [data, style_word] = draw_data_shape(setting, rank);
  const Shape shape{data[0], line_length(setting, data[1], data[0] * data[2])};
  Entries entries = entries_along(setting, shape, 1, data[1]);
  let_count_otherwise(setting, entries, {data[1]});
  GeneratedTensor indices = index_tensor(setting, shape, entries);
  GeneratedCase made;
  made.name = joined({duplicates_word(entries), arrangement_word(entries), entries.counted,
                      to_string(setting.set), style_word, index_word(indices)});
  made.operands.push_back({"data", data_values(setting, data, shape[1])});
  made.operands.push_back({"indices", std::move(indices)});
  made.operands.push_back(
      {"updates", update_values(setting, together(shape, {data[2]}), shape[1])});
  return made;
}

// ---- segment

namespace {

// How many rows data has: as an attribute, where the operation has one. Every other call leaves out
// one that it need not give.
std::string_view put_rows(GeneratedCase& made, const Setting& setting, std::int64_t rows,
                          bool may_be_left_out) {
  for (const AttributeInfo& each : setting.operation->attributes) {
    if (each.name != "num_segments" && each.name != "minlength") continue;
    const bool is_left_out =
        may_be_left_out && !each.is_required && setting.draws.turn(Stream::axes_presence, 2) == 1;
    if (is_left_out) return "rows-by-ids";
    made.attributes.emplace(each.name, rows);
  }
  return "";
}

}  // namespace

GeneratedCase segment_case(const Setting& setting) {
  const Operation& operation = *setting.operation;
  const bool is_counted = operation.base == BaseFrom::counts;
  const std::size_t rank = is_counted ? 1 : draw_frame(setting).rank;
  const auto [data, style_word] = draw_data_shape(setting, rank);
  const Shape behind = part(data, 1, rank);
  Entries entries = entries_for(setting, {data[0]}, element_count(behind));
  const bool is_sorted = !operation.label(Check::index_order).empty();
  if (is_sorted) std::ranges::sort(entries.coordinates);
  // Where indices say how many rows data has, none is outside.
  const bool has_rows = operation.find_attribute("num_segments") != nullptr;
  if (has_rows) let_count_otherwise(setting, entries, {data[0]});
  const bool is_vector = !operation.label(Check::indices_rank).empty();
  const Shape shape = is_vector ? Shape{entries.count} : entries.shape;
  GeneratedTensor indices = index_tensor(setting, shape, entries);
  GeneratedCase made;
  const std::string_view rows = put_rows(made, setting, data[0], entries.counted.empty());
  const bool has_weights = !is_counted || setting.draws.turn(Stream::scalar_form, 3) != 1;
  made.name =
      joined({duplicates_word(entries), is_sorted ? "" : arrangement_word(entries), entries.counted,
              to_string(setting.set), fmt::format("rank-{}", rank), rows, has_weights ? "" : "ones",
              style_word, is_vector ? "" : grid_word(entries), index_word(indices)});
  made.operands.push_back({"indices", std::move(indices)});
  if (has_weights) {
    made.operands.push_back(
        {"updates", update_values(setting, together(shape, behind), entries.count)});
  }
  return made;
}

}  // namespace tscatter::generate
