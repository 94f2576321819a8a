// The reductions: what an update does to the element that is already there. Spec:
// ScatterNDUpdate-15. min and max are five reductions each: texts and runtimes differ in what a NaN
// and equal values leave.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "tscatter/core/dtype.hpp"

namespace tscatter {

enum class Reduction : std::uint8_t {
  none,
  sum,
  sub,
  prod,
  min,
  max,
  min_update,
  max_update,
  min_propagate,
  max_propagate,
  min_ieee,
  max_ieee,
  min_ignore,
  max_ignore,
  mean,
  sqrt_n,
  bit_and,
  bit_or,
  bit_xor,
};

// A number that is given as a word: integers are exact up to 64 bits.
using Number = std::variant<std::int64_t, std::uint64_t, double>;

// The value that an element's first update is combined with.
struct InitialValue {
  enum class Kind : std::uint8_t {
    data,      // data's value
    identity,  // the reduction's identity: data's value does not count where updates land
    infinite,  // the same, of min and max of floats an infinity in the place of a finite number
    number,    // a number in its place
  };

  Kind kind = Kind::data;
  Number number = {};

  static const InitialValue data;
  static const InitialValue identity;
  static const InitialValue infinite;

  friend constexpr bool operator==(const InitialValue&, const InitialValue&) = default;
};

inline constexpr InitialValue InitialValue::data{};
inline constexpr InitialValue InitialValue::identity{.kind = Kind::identity};
inline constexpr InitialValue InitialValue::infinite{.kind = Kind::infinite};

// What a mean is divided by.
enum class MeanDivisor : std::uint8_t {
  exact,     // the number of values
  in_dtype,  // that number in data's dtype: integers wrap around, and 0 becomes 1
  stalling,  // a count in data's dtype that grows by 1: floats stay where 1 more is rounded away
};

// How a mean of integers is rounded.
enum class MeanQuotient : std::uint8_t {
  floor,
  truncate,  // towards 0
};

struct MeanRules {
  MeanDivisor divisor = MeanDivisor::exact;
  MeanQuotient quotient = MeanQuotient::floor;

  // Whether a sum that was kept in a wider dtype is rounded to data's before it is divided, too.
  constexpr bool rounds_sum() const { return divisor != MeanDivisor::exact; }

  friend constexpr bool operator==(const MeanRules&, const MeanRules&) = default;
};

// The dtype in which the values of an element are combined.
enum class Accumulation : std::uint8_t {
  each_step,  // data's own dtype: rounded after each update
  float32,    // float16 and bfloat16 in float32, rounded once
  float64,    // all floats in float64, rounded once
};

// What min and max leave of x, the element that is there, and y, an update, if one is NaN or both
// are equal.
enum class Extremes : std::uint8_t {
  data,       // x, also a NaN; a NaN in y is ignored
  update,     // y, also a NaN; a NaN in x is replaced
  propagate,  // a NaN; of equal values x
  ieee,       // a NaN; -0 is less than +0
  ignore,     // the number; of equal values x
};

inline constexpr std::array<std::string_view, 5> extremes_names{"data", "update", "propagate",
                                                                "ieee", "ignore"};

constexpr std::string_view to_string(Extremes extremes) {
  return extremes_names[static_cast<std::size_t>(extremes)];
}

// What a reduction needs to know about the elements.
enum class Needs : std::uint8_t {
  bytes,   // nothing: they are moved
  values,  // their dtype: opaque ones have no value
  order,   // which of two is less: complex ones, too, have no order
  number,  // that they are real numbers: no bools and complex ones
  bits,    // that their bits are the value: integers and bools
  reals,   // that they are floats
};

struct NeedsInfo {
  Needs needs;
  std::string_view dtypes;  // the dtypes that have it, in the words of `tscatter ops`
};

inline constexpr std::array needs_table{
    NeedsInfo{Needs::bytes, "every dtype with"},
    NeedsInfo{Needs::values, "all but opaque ones"},
    NeedsInfo{Needs::order, "no complex ones either"},
    NeedsInfo{Needs::number, "no opaque ones, bool and complex ones"},
    NeedsInfo{Needs::bits, "integers and bool only"},
    NeedsInfo{Needs::reals, "floats only"},
};

// What the order of several updates of one element can change.
enum class OrderEffect : std::uint8_t {
  nothing,
  last_stays,    // which update stays
  extreme,       // which of several equal values, or NaNs, stays
  rounded_sum,   // how the partial sums are rounded
  rounded_prod,  // how the partial products are rounded
};

// What the first update meets where data's value does not count.
enum class Identity : std::uint8_t { zero, one, largest, lowest, all_bits };

struct ReductionInfo {
  Reduction reduction;
  std::string_view name;
  std::array<std::string_view, 4> aliases;  // accepted for the name; "": none
  std::string_view meaning;                 // x is the element that is there, y the update
  std::string_view on_bool;                 // "": the byte is copied
  std::string_view on_integers;             // why no order differs from another; "": one does
  Needs needs;
  OrderEffect effect;  // on reals
  Identity identity;
  Extremes extremes = Extremes::data;  // of min and max
  bool negates = false;                // of a sum: the update is subtracted
  bool divides = false;                // of a sum: at the end by the number of values
  bool takes_root = false;             // of that number, and divides by it
};

constexpr ReductionInfo min_info(Reduction reduction, Extremes extremes, std::string_view meaning) {
  return {.reduction = reduction,
          .name = "min",
          .aliases = {"amin", "minimum"},
          .meaning = meaning,
          .on_bool = "and",
          .on_integers = "the least of some integers",
          .needs = Needs::order,
          .effect = OrderEffect::extreme,
          .identity = Identity::largest,
          .extremes = extremes};
}

constexpr ReductionInfo max_info(Reduction reduction, Extremes extremes, std::string_view meaning) {
  return {.reduction = reduction,
          .name = "max",
          .aliases = {"amax", "maximum"},
          .meaning = meaning,
          .on_bool = "or",
          .on_integers = "the greatest of some integers",
          .needs = Needs::order,
          .effect = OrderEffect::extreme,
          .identity = Identity::lowest,
          .extremes = extremes};
}

// Of bools the reduction is what its name says.
constexpr ReductionInfo bits_info(Reduction reduction, std::string_view name,
                                  std::string_view alias, std::string_view meaning,
                                  std::string_view on_integers, Identity identity) {
  return {.reduction = reduction,
          .name = name,
          .aliases = {alias},
          .meaning = meaning,
          .on_bool = name,
          .on_integers = on_integers,
          .needs = Needs::bits,
          .effect = OrderEffect::nothing,
          .identity = identity};
}

inline constexpr std::array reduction_table{
    ReductionInfo{.reduction = Reduction::none,
                  .name = "none",
                  .aliases = {"assign", "set", "update", "overwrite"},
                  .meaning = "y",
                  .on_bool = "",
                  .on_integers = "",
                  .needs = Needs::bytes,
                  .effect = OrderEffect::last_stays,
                  .identity = Identity::zero},
    ReductionInfo{.reduction = Reduction::sum,
                  .name = "sum",
                  .aliases = {"add"},
                  .meaning = "x + y",
                  .on_bool = "or",
                  .on_integers = "sum of integers wraps around, and",
                  .needs = Needs::values,
                  .effect = OrderEffect::rounded_sum,
                  .identity = Identity::zero},
    ReductionInfo{.reduction = Reduction::sub,
                  .name = "sub",
                  .aliases = {},
                  .meaning = "x - y",
                  .on_bool = "xor",
                  .on_integers = "sub of integers wraps around, and",
                  .needs = Needs::values,
                  .effect = OrderEffect::rounded_sum,
                  .identity = Identity::zero,
                  .negates = true},
    ReductionInfo{.reduction = Reduction::prod,
                  .name = "prod",
                  .aliases = {"mul", "multiply"},
                  .meaning = "x * y",
                  .on_bool = "and",
                  .on_integers = "prod of integers wraps around, and",
                  .needs = Needs::values,
                  .effect = OrderEffect::rounded_prod,
                  .identity = Identity::one},
    min_info(Reduction::min, Extremes::data, "y if y < x, else x"),
    max_info(Reduction::max, Extremes::data, "y if x < y, else x"),
    min_info(Reduction::min_update, Extremes::update, "x if x < y, else y"),
    max_info(Reduction::max_update, Extremes::update, "x if y < x, else y"),
    min_info(Reduction::min_propagate, Extremes::propagate,
             "x if x is NaN, else y if y < x or y is NaN, else x"),
    max_info(Reduction::max_propagate, Extremes::propagate,
             "x if x is NaN, else y if x < y or y is NaN, else x"),
    min_info(Reduction::min_ieee, Extremes::ieee, "as propagate, with -0 < +0"),
    max_info(Reduction::max_ieee, Extremes::ieee, "as propagate, with -0 < +0"),
    min_info(Reduction::min_ignore, Extremes::ignore, "y if y < x, or if x alone is NaN, else x"),
    max_info(Reduction::max_ignore, Extremes::ignore, "y if x < y, or if x alone is NaN, else x"),
    ReductionInfo{.reduction = Reduction::mean,
                  .name = "mean",
                  .aliases = {},
                  .meaning = "x + y, at the end divided by the number of values",
                  .on_bool = "",
                  .on_integers = "mean divides a sum of integers, which wraps around, and",
                  .needs = Needs::number,
                  .effect = OrderEffect::rounded_sum,
                  .identity = Identity::zero,
                  .divides = true},
    ReductionInfo{.reduction = Reduction::sqrt_n,
                  .name = "sqrt_n",
                  .aliases = {},
                  .meaning = "x + y, at the end divided by the square root of the number of values",
                  .on_bool = "",
                  .on_integers = "",
                  .needs = Needs::reals,
                  .effect = OrderEffect::rounded_sum,
                  .identity = Identity::zero,
                  .divides = true,
                  .takes_root = true},
    bits_info(Reduction::bit_and, "and", "bitwise_and", "the bits that x and y both have",
              "the bitwise and of some integers", Identity::all_bits),
    bits_info(Reduction::bit_or, "or", "bitwise_or", "the bits that x or y has",
              "the bitwise or of some integers", Identity::zero),
    bits_info(Reduction::bit_xor, "xor", "bitwise_xor", "the bits that one of x and y has",
              "the bitwise xor of some integers", Identity::zero),
};

static_assert(detail::in_enum_order(reduction_table, &ReductionInfo::reduction),
              "reduction_table is indexed by Reduction");

constexpr const ReductionInfo& info(Reduction reduction) {
  return reduction_table[static_cast<std::size_t>(reduction)];
}

constexpr std::string_view to_string(Reduction reduction) { return info(reduction).name; }

// min and max as the family has them; the others as they are.
constexpr Reduction in_family(Reduction reduction, Extremes extremes) {
  for (const ReductionInfo& each : reduction_table) {
    const bool is_it = each.name == info(reduction).name && each.extremes == extremes;
    if (is_it && each.effect == OrderEffect::extreme) return each.reduction;
  }
  return reduction;
}

constexpr bool is_min(Reduction reduction) {
  return info(reduction).name == info(Reduction::min).name;
}

// By name or alias, without regard to case; nullopt if there is none.
std::optional<Reduction> reduction_from_name(std::string_view name);

// Whether the reduction is defined for the dtype.
bool is_defined(Reduction reduction, DType dtype);

// REQUIRES: is_defined.
OrderEffect order_effect(Reduction reduction, DType dtype);

// In which dtype the values of an element of the dtype meet: a wider one only for a sum or product
// of floats, where rounding once differs from rounding at each step.
DType accumulator_of(DType dtype, Reduction reduction, Accumulation accumulation);

}  // namespace tscatter
