#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/generate/generated_case.hpp"
#include "tscatter/generate/legal_parts.hpp"

namespace tscatter::generate {
namespace {

struct Bounds {
  std::int64_t start, stop, step;
};

enum class Kind : std::uint8_t {
  whole,
  inside,
  strided,
  backwards,
  from_the_end,
  beyond,
  dtype_limits,
  int64_limits,
  int64_limits_backwards,
  empty,
  long_step,
  long_step_backwards,
};

constexpr std::array<std::string_view, 12> kind_words{
    "whole",        "inside",       "strided",
    "backwards",    "from-the-end", "beyond-the-ends",
    "dtype-limits", "int64-limits", "int64-limits-backwards",
    "empty",        "long-step",    "long-step-backwards"};

constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t int64_min = std::numeric_limits<std::int64_t>::min();

struct Limits {
  std::int64_t smallest, largest;
};

// The dtype's limits, at most int64's.
Limits limits_of(DType dtype) {
  const auto bits = static_cast<unsigned>(8 * info(dtype).size);
  const bool is_signed = info(dtype).kind == DTypeKind::signed_integer;
  if (bits == 64) return {.smallest = is_signed ? int64_min : 0, .largest = int64_max};
  const std::int64_t end = std::int64_t{1} << (is_signed ? bits - 1 : bits);
  return {.smallest = is_signed ? -end : 0, .largest = end - 1};
}

Kind kind_of(const Draws& draws, std::size_t place) {
  const std::size_t turn = draws.turn(Stream::slice_kind, kind_words.size());
  return static_cast<Kind>((turn + 5 * place) % kind_words.size());
}

// The slice of an axis of size s, chosen by its random word.
class AxisSlice {
 public:
  AxisSlice(const Draws& draws, std::size_t place, std::int64_t s)
      : draws_{draws}, word_{draws.word(Stream::slices, place)}, s_{s} {}

  Bounds bounds(Kind kind) const {
    switch (kind) {
      case Kind::whole: return {0, s_, 1};
      case Kind::inside: return {position(), position() + below(word_ >> 32U, rest()), 1};
      case Kind::strided: return {position(), s_, 2 + below(word_ >> 32U, 3)};
      case Kind::backwards: return {s_ - 1, -s_ - 1, -1 - below(word_, 3)};
      case Kind::from_the_end: return {-1 - position(), s_, 1};
      case Kind::beyond: return {-s_ - 3, s_ + 3, 1 + below(word_, 2)};
      case Kind::dtype_limits: return {limits(0).smallest, limits(1).largest, 1};
      case Kind::int64_limits: return {int64_min, int64_max, 1 + below(word_, 3)};
      case Kind::int64_limits_backwards: return {int64_max, int64_min, -1 - below(word_, 3)};
      case Kind::empty: return {s_, 0, 1};
      case Kind::long_step: return {0, s_, limits(2).largest};
      case Kind::long_step_backwards: return {s_ - 1, -s_ - 1, int64_min};
    }
    unreachable();
  }

 private:
  static std::int64_t below(std::uint64_t word, std::int64_t n) {
    return static_cast<std::int64_t>(word % static_cast<std::uint64_t>(n));
  }
  std::int64_t position() const { return below(word_, s_ + 1); }
  std::int64_t rest() const { return s_ - position() + 1; }
  Limits limits(std::size_t list) const { return limits_of(draw_integer_dtype(draws_, list)); }

  const Draws& draws_;
  std::uint64_t word_;
  std::int64_t s_;
};

}  // namespace

std::vector<std::size_t> draw_axes(const Draws& draws, std::size_t rank, std::size_t count,
                                   bool given) {
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  if (given) {
    std::ranges::sort(axes, {}, [&](std::size_t axis) { return draws.word(Stream::axes, axis); });
  }
  axes.resize(count);
  return axes;
}

std::vector<std::int64_t> given_axes(const std::vector<std::size_t>& axes, std::size_t rank,
                                     Sign sign) {
  std::vector<std::int64_t> written;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool from_the_end = sign == Sign::negative && i % 2 == 0;
    written.push_back(static_cast<std::int64_t>(axes[i]) -
                      (from_the_end ? static_cast<std::int64_t>(rank) : 0));
  }
  return written;
}

Slices draw_slices(const Draws& draws, const Shape& data, const std::vector<std::size_t>& axes) {
  Slices slices{.start = {}, .stop = {}, .step = {}, .shape = data, .words = {}};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Kind kind = kind_of(draws, i);
    const std::int64_t size = data[axes[i]];
    const Bounds bounds = AxisSlice(draws, i, size).bounds(kind);
    slices.start.push_back(bounds.start);
    slices.stop.push_back(bounds.stop);
    slices.step.push_back(bounds.step);
    slices.shape[axes[i]] = clamp_slice(bounds.start, bounds.stop, bounds.step, size).count;
    slices.words = joined({slices.words, kind_words[static_cast<std::size_t>(kind)]});
  }
  return slices;
}

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
