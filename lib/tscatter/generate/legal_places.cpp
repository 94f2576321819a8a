#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tscatter/generate/form_cases.hpp"
#include "tscatter/generate/legal_parts.hpp"

namespace tscatter::generate {
namespace {

// From -size - 1 to size + 1: an end of a slice, or a diagonal, beyond either end, too.
std::int64_t around(const Setting& setting, std::int64_t size, std::uint64_t number) {
  const std::uint64_t word = setting.draws.word(Stream::slices, number);
  return static_cast<std::int64_t>(word % static_cast<std::uint64_t>(2 * size + 3)) - size - 1;
}

// Adds updates for what the others of the case require; its name begins with `words`.
GeneratedCase finished(const Setting& setting, GeneratedCase made, std::string_view words,
                       std::string_view style, std::int64_t meeting) {
  const Shape shape = updates_of(setting, made);
  made.operands.push_back({"updates", update_values(setting, shape, meeting)});
  const std::size_t rank = made.operand("data").header.rank();
  made.name = joined({words, to_string(setting.set), fmt::format("rank-{}", rank), style,
                      shape.empty() ? "one-value" : ""});
  return made;
}

}  // namespace

// ---- flat

GeneratedCase flat_case(const Setting& setting) {
  const auto [data, style] = draw_data_shape(setting, draw_frame(setting).rank);
  const Shape sizes{element_count(data)};
  Entries entries = entries_for(setting, sizes, 1);
  let_count_otherwise(setting, entries, sizes);
  GeneratedCase made;
  made.operands.push_back({"data", data_values(setting, data, entries.count)});
  made.operands.push_back({"indices", index_tensor(setting, entries.shape, entries)});
  return finished(setting, std::move(made),
                  joined({duplicates_word(entries), arrangement_word(entries), entries.counted,
                          grid_word(entries)}),
                  style, entries.count);
}

// ---- mask

namespace {

struct MaskShape {
  Shape shape;
  std::string_view word;
};

// Of data, or one that broadcasts to it; where it may have any shape, one axis.
MaskShape draw_mask_shape(const Setting& setting, Shape shape) {
  if (setting.operation->reshapes_mask) {
    if (setting.draws.turn(Stream::axes_presence, 2) == 0) return {.shape = shape, .word = ""};
    return {.shape = {element_count(shape)}, .word = "flat-mask"};
  }
  switch (setting.draws.turn(Stream::axes_presence, 4)) {
    case 1: shape.erase(shape.begin()); return {.shape = shape, .word = "fewer-axes"};
    case 3: shape.back() = 1; return {.shape = shape, .word = "one-column"};
    default: return {.shape = std::move(shape), .word = ""};
  }
}

}  // namespace

GeneratedCase mask_case(const Setting& setting) {
  const auto [data, style] = draw_data_shape(setting, draw_frame(setting).rank);
  const MaskShape mask = draw_mask_shape(setting, data);
  GeneratedCase made;
  made.operands.push_back({"data", data_values(setting, data, 1)});
  const bool is_optional = setting.operation->find_operand("mask")->presence == Presence::optional;
  if (is_optional && setting.draws.turn(Stream::axes_presence, 4) == 2)
    return finished(setting, std::move(made), "no-mask", style, 1);
  made.operands.push_back({"mask", drawn_mask(setting, mask.shape)});
  return finished(setting, std::move(made), mask.word, style, 1);
}

// ---- section

namespace {

void put_slice(const Setting& setting, GeneratedCase& made, std::int64_t size) {
  made.attributes.emplace("start", around(setting, size, 0));
  made.attributes.emplace("stop", around(setting, size, 1));
  const auto step = static_cast<std::int64_t>(1 + setting.draws.word(Stream::slices, 2) % 3);
  made.attributes.emplace("step", step);
}

}  // namespace

GeneratedCase section_case(const Setting& setting) {
  const Frame frame = draw_frame(setting);
  auto [data, style] = draw_data_shape(setting, frame.rank);
  const std::size_t axis = frame.axes % frame.rank;
  const bool selects = setting.operation->find_operand("indices") != nullptr;
  if (selects) data[axis] = std::max<std::int64_t>(data[axis], 1);
  GeneratedCase made;
  made.operands.push_back({"data", data_values(setting, data, 1)});
  put_axis(made, setting, axis, frame.rank);
  if (selects) {
    const std::int64_t size = data[axis];
    const std::uint64_t word = setting.draws.word(Stream::places, 0);
    const auto place = static_cast<std::int64_t>(word % static_cast<std::uint64_t>(size));
    const bool negative = is_negative(setting) && may_index_from_the_end(setting);
    const std::int64_t given = negative ? place - size : place;
    made.operands.push_back(
        {"indices", integers(holding(draw_index_dtype(setting), {given}), {}, {given})});
  } else {
    put_slice(setting, made, data[axis]);
  }
  return finished(setting, std::move(made), fmt::format("axis-{}", axis), style, 1);
}

// ---- diagonal

GeneratedCase diagonal_case(const Setting& setting) {
  const Frame frame = draw_frame(setting);
  const std::size_t rank = std::max<std::size_t>(frame.rank, 2);
  const auto [data, style] = draw_data_shape(setting, rank);
  const std::size_t dim1 = frame.axes % rank;
  const std::size_t dim2 = (dim1 + 1 + setting.draws.word(Stream::axes, 0) % (rank - 1)) % rank;
  GeneratedCase made;
  made.operands.push_back({"data", data_values(setting, data, 1)});
  made.attributes.emplace("offset", around(setting, std::max(data[dim1], data[dim2]), 0));
  made.attributes.emplace("dim1", given_axis(setting, dim1, rank));
  made.attributes.emplace("dim2", static_cast<std::int64_t>(dim2));
  return finished(setting, std::move(made), fmt::format("axes-{}-{}", dim1, dim2), style, 1);
}

}  // namespace tscatter::generate
