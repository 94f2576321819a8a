#include "tscatter/generate/legal_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/generate/generated_case.hpp"
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
bool has_indices_outside(const Setting& setting, const Entries& entries, const Shape& sizes) {
  const Policies policies = policies_of(setting);
  const bool is_allowed = setting.entries != IndexEntries::plain &&
                          policies.outside != OutsideIndex::error &&
                          (can_drop(policies) || entries.pattern.duplicates != Duplicates::none);
  return is_allowed && setting.draws.turn(Stream::outside, 3) != 0 &&
         !entries.coordinates.empty() && has_room_outside(policies, sizes) &&
         counts_beyond(setting, sizes);
}

// Of those whose negative indices are dropped, every third case has some.
std::string_view let_be_dropped(const Setting& setting, Entries& entries) {
  const bool is_allowed = policies_of(setting).negative == NegativeIndex::dropped &&
                          is_negative(setting) && may_index_from_the_end(setting);
  if (!is_allowed || entries.coordinates.empty()) return "";
  for (std::size_t i = 0; i < entries.coordinates.size(); i += 3)
    entries.coordinates[i] = -1 - static_cast<std::int64_t>(i % 5);
  return "dropped";
}

std::string_view let_be_outside(const Setting& setting, Entries& entries, const Shape& sizes) {
  if (!has_indices_outside(setting, entries, sizes)) return "";
  make_outside(setting.draws, entries, sizes, draw_index_dtype(setting));
  return "outside";
}

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

std::int64_t given_axis(const Setting& setting, std::size_t axis, std::size_t rank) {
  return static_cast<std::int64_t>(axis) -
         (is_negative(setting) ? static_cast<std::int64_t>(rank) : 0);
}

void put_axis(GeneratedCase& made, const Setting& setting, std::size_t axis, std::size_t rank) {
  const std::int64_t given = given_axis(setting, axis, rank);
  if (setting.operation->find_attribute("axis") != nullptr) {
    made.attributes.emplace("axis", given);
    return;
  }
  const DType dtype = holding(draw_integer_dtype(setting.draws, 1), {given});
  const Shape shape(setting.draws.turn(Stream::scalar_form, 2), 1);
  made.operands.push_back({"axis", integers(dtype, shape, {given})});
}

std::string axis_words(const GeneratedCase& made, const Setting& setting) {
  const auto axis = std::ranges::find(made.operands, "axis", &NamedTensor::operand);
  const bool is_list = axis != made.operands.end() && axis->tensor.header.rank() > 0;
  return joined({is_negative(setting) ? "negative-axis" : "", is_list ? "axis-as-list" : ""});
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

namespace {

Shape named_sizes(const Setting& setting, Shape sizes) {
  for (std::int64_t& size : sizes) size = named_by_dtype(setting, size);
  return sizes;
}

}  // namespace

Entries entries_for(const Setting& setting, const Shape& sizes, std::int64_t block,
                    std::uint64_t line) {
  const bool is_full = full_bits(setting.set, setting.dtype) > 0;
  return draw_entries(setting.draws, {.sizes = named_sizes(setting, sizes),
                                      .block = block,
                                      .limit = setting.limit,
                                      .extent = is_full ? Extent::all : Extent::few,
                                      .pattern = draw_pattern(setting.draws, setting.duplicates),
                                      .entries = setting.entries,
                                      .line = line});
}

std::string_view duplicates_word(const Entries& entries) {
  if (entries.count == 0) return "";
  if (entries.places == entries.count) return "unique";
  return entries.pattern.duplicates == Duplicates::some ? "some-duplicates" : "heavy-duplicates";
}

std::string_view arrangement_word(const Entries& entries) {
  if (entries.count < 2) return "";
  return arrangement_words[static_cast<std::size_t>(entries.pattern.arrangement)];
}

std::string_view grid_word(const Entries& entries) {
  return grid_words[static_cast<std::size_t>(entries.grid)];
}

GeneratedTensor index_tensor(const Setting& setting, Shape shape, const Entries& entries) {
  const DType dtype = holding(draw_index_dtype(setting), entries.coordinates);
  return integers(dtype, std::move(shape), entries.coordinates);
}

std::string_view index_word(const GeneratedTensor& indices) {
  return info(indices.header.type.dtype).short_name;
}

bool is_negative(const Setting& setting) { return setting.draws.turn(Stream::negative, 3) == 0; }

bool may_index_from_the_end(const Setting& setting) {
  const bool has_no_sign = setting.index_dtype && !holds(*setting.index_dtype, -1);
  return setting.entries != IndexEntries::plain && !has_no_sign;
}

void let_count_otherwise(const Setting& setting, Entries& entries, const Shape& sizes,
                         const Shape& starts) {
  const bool negative = has_negative_indices(setting, entries);
  if (negative) make_negative(entries, sizes, named_sizes(setting, sizes));
  const std::string_view outside = let_be_outside(setting, entries, starts);
  entries.counted =
      joined({negative ? "negative-indices" : "", outside, let_be_dropped(setting, entries)});
}

void let_count_otherwise(const Setting& setting, Entries& entries, const Shape& sizes) {
  let_count_otherwise(setting, entries, sizes, sizes);
}

Shape part(const Shape& shape, std::size_t first, std::size_t end) {
  return {shape.begin() + static_cast<std::ptrdiff_t>(first),
          shape.begin() + static_cast<std::ptrdiff_t>(end)};
}

Shape together(Shape front, const Shape& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

namespace {

constexpr std::array<std::int64_t, 18> primes{2,  3,  5,  7,  11, 13, 17, 19, 23,
                                              29, 31, 37, 41, 43, 47, 53, 59, 61};

constexpr std::array<Style, 8> styles{Style::small, Style::primes, Style::long_and_thin,
                                      Style::small, Style::primes, Style::zero,
                                      Style::small, Style::ones};

std::int64_t choice(std::uint64_t word, std::int64_t n) {
  return static_cast<std::int64_t>(word % static_cast<std::uint64_t>(n));
}

bool is_within(std::int64_t side, std::size_t rank, std::int64_t limit) {
  for (std::size_t axis = 0; axis < rank; ++axis) limit /= side;
  return limit > 0;
}

// The longest side of a cube of this rank with at most `limit` elements.
std::int64_t side_of(std::size_t rank, std::int64_t limit) {
  if (rank == 1) return limit;
  std::int64_t side = 1;
  while (is_within(side + 1, rank, limit)) ++side;
  return side;
}

// Axes of length 1 or 2, except one that takes the rest.
Shape long_shape(const Draws& draws, std::size_t rank, std::int64_t limit) {
  const auto longest = static_cast<std::size_t>(draws.word(Stream::shape, rank) % rank);
  Shape shape(rank, 1);
  std::int64_t others = 1;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (axis == longest) continue;
    shape[axis] = 1 + choice(draws.word(Stream::shape, axis), 2);
    others *= shape[axis];
  }
  const std::int64_t total = limit - choice(draws.word(Stream::shape, longest), limit / 2);
  shape[longest] = total / others;
  return shape;
}

}  // namespace

Style draw_style(const Draws& draws) { return draws.among(Stream::style, std::span(styles)); }

Shape draw_shape(const Draws& draws, Style style, std::size_t rank, std::int64_t limit) {
  if (style == Style::long_and_thin) return long_shape(draws, rank, limit);
  Shape shape(rank, 1);
  if (style == Style::ones) return shape;
  const std::int64_t side = side_of(rank, limit);
  const auto known = std::ranges::upper_bound(primes, side) - primes.begin();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::uint64_t word = draws.word(Stream::shape, axis);
    const bool is_prime = style == Style::primes;
    shape[axis] = is_prime ? primes[static_cast<std::size_t>(choice(word, known))]
                           : 1 + choice(word, std::min<std::int64_t>(side, 8));
  }
  if (style == Style::zero) shape[draws.word(Stream::shape, rank) % rank] = 0;
  return shape;
}

Shape draw_full_shape(const Draws& draws, std::size_t rank, unsigned bits) {
  Shape shape(rank, 2);
  shape[draws.word(Stream::shape, rank) % rank] = std::int64_t{1} << (bits + 1 - rank);
  return shape;
}

}  // namespace tscatter::generate
