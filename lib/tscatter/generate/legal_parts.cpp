#include "tscatter/generate/legal_parts.hpp"

#include <algorithm>
#include <utility>

namespace tscatter::generate {
namespace {

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

}  // namespace

bool is_negative(const Setting& setting) { return setting.draws.turn(Stream::negative, 3) == 0; }

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

GeneratedTensor axis_tensor(const Setting& setting, std::int64_t axis) {
  const DType dtype = holding(draw_integer_dtype(setting.draws, 1), {axis});
  return integers(dtype, Shape(setting.draws.turn(Stream::scalar_form, 2), 1), {axis});
}

}  // namespace tscatter::generate
