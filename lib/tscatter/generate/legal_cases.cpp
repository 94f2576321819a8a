#include "tscatter/generate/legal_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "tscatter/core/unreachable.hpp"
#include "tscatter/generate/slices.hpp"

namespace tscatter::generate {
namespace {

// ---- Shared by the forms with index entries.

Entries entries_for(const Setting& setting, const Pattern& pattern, Shape sizes,
                    std::int64_t block) {
  const bool is_full = full_bits(setting.set, setting.dtype) > 0;
  return draw_entries(setting.draws, {.sizes = std::move(sizes),
                                      .block = block,
                                      .limit = setting.limit,
                                      .extent = is_full ? Extent::all : Extent::few,
                                      .pattern = pattern});
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

bool has_negative_indices(const Setting& setting, const Entries& entries) {
  return setting.operation->policies.negative == NegativeIndex::from_the_end &&
         is_negative(setting) && !entries.coordinates.empty();
}

bool has_room_outside(const Policies& policies, const Shape& sizes) {
  return can_drop(policies) || std::ranges::count(sizes, 0) == 0;
}

// Where a policy says what becomes of them, two in three cases have indices out of range. They may
// meet others, unless they are dropped.
bool has_indices_outside(const Setting& setting, const Pattern& pattern, const Entries& entries,
                         const Shape& sizes) {
  const Policies& policies = setting.operation->policies;
  const bool is_allowed = policies.outside != OutsideIndex::error &&
                          (can_drop(policies) || pattern.duplicates != Duplicates::none);
  return is_allowed && setting.draws.turn(Stream::outside, 3) != 0 &&
         !entries.coordinates.empty() && has_room_outside(policies, sizes);
}

// Changes the entries to what a third of the cases has; returns their words.
std::string let_count_otherwise(const Setting& setting, const Pattern& pattern, Entries& entries,
                                const Shape& sizes) {
  const bool negative = has_negative_indices(setting, entries);
  if (negative) make_negative(entries, sizes);
  const bool outside = has_indices_outside(setting, pattern, entries, sizes);
  if (outside) make_outside(setting.draws, entries, sizes);
  return joined({negative ? "negative-indices" : "", outside ? "outside" : ""});
}

Shape part(const Shape& shape, std::size_t first, std::size_t end) {
  return {shape.begin() + static_cast<std::ptrdiff_t>(first),
          shape.begin() + static_cast<std::ptrdiff_t>(end)};
}

Shape together(Shape front, const Shape& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

// ---- nd

Shape nd_updates_shape(const Setting& setting, const Shape& entries, const Shape& block) {
  Shape shape = together(entries, block);
  const bool takes_one_element = setting.operation->updates_shape == UpdatesShape::one_element;
  if (shape.empty() && takes_one_element)
    shape.assign(setting.draws.turn(Stream::scalar_form, 3), 1);
  return shape;
}

GeneratedCase nd_case(const Setting& setting) {
  const auto [rank, depth] = draw_frame(setting);
  const auto [data, style_word] = draw_data_shape(setting, rank);
  const Shape sizes = part(data, 0, depth);
  const Shape block = part(data, depth, rank);
  const Pattern pattern = draw_pattern(setting.draws, setting.duplicates);
  Entries entries = entries_for(setting, pattern, sizes, element_count(block));
  const std::string counted = let_count_otherwise(setting, pattern, entries, sizes);
  const Shape depth_axis{static_cast<std::int64_t>(depth)};
  GeneratedTensor indices = index_tensor(setting, together(entries.shape, depth_axis), entries);
  GeneratedCase made;
  made.name = joined({duplicates_word(entries, pattern), arrangement_word(entries, pattern),
                      counted, set_word(setting), fmt::format("rank-{}-depth-{}", rank, depth),
                      std::string(style_word), grid_word(entries), index_word(indices)});
  made.operands.push_back({"data", data_values(setting, data, entries.count)});
  made.operands.push_back({"indices", std::move(indices)});
  made.operands.push_back(
      {"updates",
       update_values(setting, nd_updates_shape(setting, entries.shape, block), entries.count)});
  return made;
}

// ---- rows

GeneratedTensor axis_tensor(const Setting& setting, std::int64_t axis) {
  const DType dtype = holding(draw_integer_dtype(setting.draws, 1), {axis});
  return integers(dtype, Shape(setting.draws.turn(Stream::scalar_form, 2), 1), {axis});
}

GeneratedCase rows_case(const Setting& setting) {
  const Frame frame = draw_frame(setting);
  const std::size_t rank = frame.rank;
  const std::size_t axis = frame.axes % rank;
  const auto [data, style_word] = draw_data_shape(setting, rank);
  const Shape before = part(data, 0, axis);
  const Shape behind = part(data, axis + 1, rank);
  const Pattern pattern = draw_pattern(setting.draws, setting.duplicates);
  Entries entries =
      entries_for(setting, pattern, {data[axis]}, element_count(before) * element_count(behind));
  const std::string counted = let_count_otherwise(setting, pattern, entries, {data[axis]});
  const bool negative = is_negative(setting);
  const auto given_axis =
      static_cast<std::int64_t>(axis) - (negative ? static_cast<std::int64_t>(rank) : 0);
  GeneratedTensor indices = index_tensor(setting, entries.shape, entries);
  GeneratedTensor axis_operand = axis_tensor(setting, given_axis);
  GeneratedCase made;
  made.name = joined({duplicates_word(entries, pattern), arrangement_word(entries, pattern),
                      counted, set_word(setting), fmt::format("rank-{}-axis-{}", rank, axis),
                      negative ? "negative-axis" : "",
                      axis_operand.header.rank() == 0 ? "" : "axis-as-list",
                      std::string(style_word), grid_word(entries), index_word(indices)});
  made.operands.push_back({"data", data_values(setting, data, entries.count)});
  made.operands.push_back({"indices", std::move(indices)});
  made.operands.push_back(
      {"updates",
       update_values(setting, together(together(before, entries.shape), behind), entries.count)});
  made.operands.push_back({"axis", std::move(axis_operand)});
  return made;
}

// ---- elements

constexpr std::int64_t longest_line = 64;

// How many entries indices have along the axis of `size`, beside `lines` lines.
std::int64_t line_length(const Setting& setting, const Pattern& pattern, std::int64_t size,
                         std::int64_t lines) {
  if (full_bits(setting.set, setting.dtype) > 0 || size == 0) return size;
  const bool may_be_longer = setting.operation->label(Check::indices_length).empty();
  std::int64_t most = std::min(longest_line, setting.limit / std::max<std::int64_t>(lines, 1));
  if (pattern.duplicates == Duplicates::some)
    most = std::min(most, std::max<std::int64_t>(size, 2));
  if (pattern.duplicates == Duplicates::none || !may_be_longer) most = std::min(most, size);
  const auto below = static_cast<std::uint64_t>(most / 2 + 1);
  return most - static_cast<std::int64_t>(setting.draws.word(Stream::entry_count, 0) % below);
}

// Data's sizes, every other one shortened, with the axis still as it is in data.
Shape sizes_beside_axis(const Setting& setting, Shape sizes, std::size_t axis) {
  const bool is_full = full_bits(setting.set, setting.dtype) > 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::uint64_t word = setting.draws.word(Stream::entry_count, 1 + i);
    if (is_full || i == axis || sizes[i] == 0 || word % 2 == 0) continue;
    sizes[i] = 1 + static_cast<std::int64_t>((word >> 1U) % static_cast<std::uint64_t>(sizes[i]));
  }
  return sizes;
}

// Entries of that shape: lines along the axis, each with places of its own.
Entries entries_along(const Setting& setting, const Pattern& pattern, const Shape& shape,
                      std::size_t axis, std::int64_t size) {
  Entries entries{.shape = shape, .coordinates = {}, .count = element_count(shape)};
  entries.coordinates.resize(static_cast<std::size_t>(entries.count));
  const std::int64_t behind = element_count(part(shape, axis + 1, shape.size()));
  const std::int64_t lines = element_count(part(shape, 0, axis)) * behind;
  for (std::int64_t line = 0; entries.count > 0 && line < lines; ++line) {
    const std::vector<std::int64_t> places =
        draw_line(setting.draws, pattern, size, shape[axis], static_cast<std::uint64_t>(line));
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

std::string_view sizes_word(const Shape& data, const Shape& indices, std::size_t axis) {
  if (indices == data) return "of-data-shape";
  return indices[axis] > data[axis] ? "longer-axis" : "";
}

// As an attribute, or as an operand.
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

GeneratedCase elements_case(const Setting& setting) {
  const Frame frame = draw_frame(setting);
  const std::size_t axis = frame.axes % frame.rank;
  const auto [data, style_word] = draw_data_shape(setting, frame.rank);
  const Pattern pattern = draw_pattern(setting.draws, setting.duplicates);
  Shape shape = sizes_beside_axis(setting, data, axis);
  const std::int64_t lines =
      element_count(part(shape, 0, axis)) * element_count(part(shape, axis + 1, shape.size()));
  shape[axis] = line_length(setting, pattern, data[axis], lines);
  Entries entries = entries_along(setting, pattern, shape, axis, data[axis]);
  const std::string counted = let_count_otherwise(setting, pattern, entries, {data[axis]});
  const bool negative = is_negative(setting);
  const auto given_axis =
      static_cast<std::int64_t>(axis) - (negative ? static_cast<std::int64_t>(frame.rank) : 0);
  GeneratedTensor indices = index_tensor(setting, shape, entries);
  GeneratedCase made;
  put_axis(made, setting, given_axis);
  made.name = joined({duplicates_word(entries, pattern), arrangement_word(entries, pattern),
                      counted, set_word(setting), fmt::format("rank-{}-axis-{}", frame.rank, axis),
                      negative ? "negative-axis" : "", axis_word(made), std::string(style_word),
                      std::string(sizes_word(data, shape, axis)), index_word(indices)});
  made.operands.push_back({"data", data_values(setting, data, shape[axis])});
  made.operands.push_back({"indices", std::move(indices)});
  made.operands.push_back({"updates", update_values(setting, shape, shape[axis], scaled_entries)});
  return made;
}

// ---- batched_rows

GeneratedCase batched_rows_case(const Setting& setting) {
  constexpr std::size_t rank = 3;
  const auto [data, style_word] = draw_data_shape(setting, rank);
  const Pattern pattern = draw_pattern(setting.draws, setting.duplicates);
  const Shape shape{data[0], line_length(setting, pattern, data[1], data[0] * data[2])};
  Entries entries = entries_along(setting, pattern, shape, 1, data[1]);
  const std::string counted = let_count_otherwise(setting, pattern, entries, {data[1]});
  GeneratedTensor indices = index_tensor(setting, shape, entries);
  GeneratedCase made;
  made.name = joined({duplicates_word(entries, pattern), arrangement_word(entries, pattern),
                      counted, set_word(setting), std::string(style_word), index_word(indices)});
  made.operands.push_back({"data", data_values(setting, data, shape[1])});
  made.operands.push_back({"indices", std::move(indices)});
  made.operands.push_back(
      {"updates", update_values(setting, together(shape, {data[2]}), shape[1])});
  return made;
}

// ---- start

// How long updates are along the axis of `size`.
std::int64_t steps_of(const Setting& setting, std::int64_t size) {
  if (full_bits(setting.set, setting.dtype) > 0 || size == 0) return size;
  const std::uint64_t word = setting.draws.word(Stream::entry_count, 0);
  return 1 + static_cast<std::int64_t>(word % static_cast<std::uint64_t>(size));
}

enum class Starts : std::uint8_t { drawn, at_the_end, left_out };

constexpr std::array<std::string_view, 3> starts_words{"", "at-the-end", "no-indices"};

// One for each batch: below `legal`, or where any is legal in [-size, 2 * size).
std::vector<std::int64_t> starts_of(const Setting& setting, Starts kind, std::int64_t batches,
                                    std::int64_t legal, std::int64_t size) {
  const bool is_any_legal = std::get<Word>(attributes_of(setting).at("mode")) == "circular" ||
                            setting.operation->policies.outside != OutsideIndex::error;
  const std::int64_t width = is_any_legal && size > 0 ? 3 * size : legal;
  std::vector<std::int64_t> starts;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const std::uint64_t word =
        setting.draws.word(Stream::places, static_cast<std::uint64_t>(batch));
    const auto drawn = static_cast<std::int64_t>(word % static_cast<std::uint64_t>(width));
    const std::int64_t start = is_any_legal ? drawn - size : drawn;
    starts.push_back(kind == Starts::at_the_end ? legal - 1 : start);
  }
  return starts;
}

GeneratedCase start_case(const Setting& setting) {
  const Frame frame = draw_frame(setting);
  const std::size_t rank = std::max<std::size_t>(frame.rank, 2);
  const std::size_t axis = 1 + frame.axes % (rank - 1);
  const auto [data, style_word] = draw_data_shape(setting, rank);
  Shape shape = data;
  shape[axis] = steps_of(setting, data[axis]);
  const auto kind = static_cast<Starts>(setting.draws.turn(Stream::arrangement, 3));
  const bool negative = is_negative(setting);
  const auto given_axis =
      static_cast<std::int64_t>(axis) - (negative ? static_cast<std::int64_t>(rank) : 0);
  GeneratedCase made;
  made.attributes.emplace("axis", given_axis);
  made.name = joined({std::string(starts_words[static_cast<std::size_t>(kind)]), set_word(setting),
                      fmt::format("rank-{}-axis-{}", rank, axis), negative ? "negative-axis" : "",
                      std::string(style_word), shape == data ? "of-data-shape" : ""});
  made.operands.push_back({"data", data_values(setting, data, 1)});
  if (kind != Starts::left_out) {
    const std::vector<std::int64_t> starts =
        starts_of(setting, kind, data.front(), data[axis] - shape[axis] + 1, data[axis]);
    made.operands.push_back(
        {"indices", integers(holding(draw_index_dtype(setting), starts), {data.front()}, starts)});
  }
  made.operands.push_back({"updates", update_values(setting, shape, 1)});
  return made;
}

// ---- window

void put_window_dims(GeneratedCase& made, const std::vector<std::int64_t>& window_dims,
                     std::int64_t moved, std::int64_t vector_dim) {
  const auto put = [&](const char* name, const std::vector<std::int64_t>& dims) {
    made.operands.push_back(
        {name, integers(DType::int64, {static_cast<std::int64_t>(dims.size())}, dims)});
  };
  put("update_window_dims", window_dims);
  put("inserted_window_dims", {});
  put("input_batching_dims", {});
  put("scatter_indices_batching_dims", {});
  put("scatter_dims_to_operand_dims", {moved});
  put("index_vector_dim", {vector_dim});
}

// Windows that are moved along one axis, and as long as data along the others.
GeneratedCase window_case(const Setting& setting) {
  const Frame frame = draw_frame(setting);
  const std::size_t axis = frame.axes % frame.rank;
  const auto [data, style_word] = draw_data_shape(setting, frame.rank);
  const bool may_meet = setting.operation->policies.duplicates == DuplicatePolicy::ordered;
  Shape window = data;
  window[axis] = may_meet ? steps_of(setting, data[axis]) : std::min<std::int64_t>(data[axis], 1);
  const Pattern pattern = draw_pattern(setting.draws, setting.duplicates);
  const Entries entries =
      entries_for(setting, pattern, {data[axis] - window[axis] + 1}, element_count(window));
  const bool is_vector = setting.draws.turn(Stream::scalar_form, 2) == 0;
  GeneratedTensor indices =
      index_tensor(setting, together(entries.shape, Shape(is_vector ? 1 : 0, 1)), entries);
  GeneratedCase made;
  made.name = joined({duplicates_word(entries, pattern), arrangement_word(entries, pattern),
                      set_word(setting), fmt::format("rank-{}-axis-{}", frame.rank, axis),
                      is_vector ? "" : "index-vector-left-out", std::string(style_word),
                      grid_word(entries), index_word(indices)});
  const auto rank_of_entries = static_cast<std::int64_t>(entries.shape.size());
  std::vector<std::int64_t> window_dims(frame.rank);
  std::iota(window_dims.begin(), window_dims.end(), rank_of_entries);
  made.operands.push_back({"data", data_values(setting, data, entries.count)});
  made.operands.push_back({"indices", std::move(indices)});
  made.operands.push_back(
      {"updates", update_values(setting, together(entries.shape, window), entries.count)});
  put_window_dims(made, window_dims, static_cast<std::int64_t>(axis), rank_of_entries);
  return made;
}

// ---- slice

GeneratedCase slice_case(const Setting& setting) {
  const auto [rank, count] = draw_frame(setting);
  const auto [data, style_word] = draw_data_shape(setting, rank);
  const bool has_axes = setting.draws.turn(Stream::axes_presence, 3) != 0;
  const std::vector<std::size_t> axes = draw_axes(setting.draws, rank, count, has_axes);
  const Slices slices = draw_slices(setting.draws, data, axes);
  const bool negative = has_axes && count > 0 && is_negative(setting);
  GeneratedCase made;
  made.name = joined({slices.words, set_word(setting), fmt::format("rank-{}-axes-{}", rank, count),
                      has_axes ? "" : "first-axes", negative ? "negative-axes" : "",
                      std::string(style_word)});
  made.operands.push_back({"data", data_values(setting, data, 1)});
  made.operands.push_back({"updates", update_values(setting, slices.shape, 1)});
  const Shape length{static_cast<std::int64_t>(count)};
  const auto add = [&](const char* name, std::size_t further,
                       const std::vector<std::int64_t>& values) {
    const DType dtype = holding(draw_integer_dtype(setting.draws, further), values);
    made.operands.push_back({name, integers(dtype, length, values)});
  };
  add("start", 0, slices.start);
  add("stop", 1, slices.stop);
  add("step", 2, slices.step);
  if (has_axes) add("axes", 3, given_axes(axes, rank, negative ? Sign::negative : Sign::positive));
  return made;
}

GeneratedCase case_of_form(const Setting& setting) {
  switch (setting.operation->form) {
    case Form::rows: return rows_case(setting);
    case Form::nd: return nd_case(setting);
    case Form::elements: return elements_case(setting);
    case Form::window: return window_case(setting);
    case Form::start: return start_case(setting);
    case Form::slice: return slice_case(setting);
    case Form::batched_rows: return batched_rows_case(setting);
  }
  unreachable();
}

}  // namespace

GeneratedCase legal_case(const Setting& setting) {
  GeneratedCase made = case_of_form(setting);
  made.operation = setting.operation;
  return made;
}

}  // namespace tscatter::generate
