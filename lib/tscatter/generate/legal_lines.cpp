// Legal cases of the forms whose indices lie in lines along an axis: elements and batched_rows.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tscatter/generate/legal_forms.hpp"
#include "tscatter/generate/legal_parts.hpp"

namespace tscatter::generate {
namespace {

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
void put_legal_axis(GeneratedCase& made, const Setting& setting, std::int64_t axis) {
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

}  // namespace

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
  put_legal_axis(made, setting, given_axis);
  made.name = joined({duplicates_word(entries, pattern), arrangement_word(entries, pattern),
                      counted, set_word(setting), fmt::format("rank-{}-axis-{}", frame.rank, axis),
                      negative ? "negative-axis" : "", axis_word(made), std::string(style_word),
                      std::string(sizes_word(data, shape, axis)), index_word(indices)});
  made.operands.push_back({"data", data_values(setting, data, shape[axis])});
  made.operands.push_back({"indices", std::move(indices)});
  made.operands.push_back({"updates", update_values(setting, shape, shape[axis], scaled_entries)});
  return made;
}

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

}  // namespace tscatter::generate
