// The reductions: what an update does to the element that is already there. Spec:
// ScatterNDUpdate-15.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tscatter/core/dtype.hpp"

namespace tscatter {

enum class Reduction : std::uint8_t { none, sum, sub, prod, min, max };

// What a reduction needs to know about the elements.
enum class Needs : std::uint8_t {
  bytes,   // nothing: they are moved
  values,  // their dtype: opaque ones have no value
  order,   // which of two is less: complex ones, too, have no order
};

struct NeedsInfo {
  Needs needs;
  std::string_view dtypes;  // those that have it, after the names of the reductions
};

inline constexpr std::array needs_table{
    NeedsInfo{Needs::bytes, "every dtype with"},
    NeedsInfo{Needs::values, "all but opaque ones"},
    NeedsInfo{Needs::order, "no complex ones either"},
};

// What the order of several updates of one element can change.
enum class OrderEffect : std::uint8_t {
  nothing,
  last_stays,    // which update stays
  first_stays,   // which of several that are equal stays
  rounded_sum,   // how the partial sums are rounded
  rounded_prod,  // how the partial products are
};

struct ReductionInfo {
  Reduction reduction;
  std::string_view name;
  std::array<std::string_view, 4> aliases;  // accepted for the name; "": none
  std::string_view meaning;                 // x is the element that is there, y the update
  std::string_view on_bool;                 // "": the byte is copied
  std::string_view on_integers;             // why no order differs from another; "": one does
  Needs needs;
  OrderEffect effect;  // on reals
};

inline constexpr std::array reduction_table{
    ReductionInfo{Reduction::none,
                  "none",
                  {"assign", "set", "update", "overwrite"},
                  "y",
                  "",
                  "",
                  Needs::bytes,
                  OrderEffect::last_stays},
    ReductionInfo{Reduction::sum,
                  "sum",
                  {"add"},
                  "x + y",
                  "or",
                  "sum of integers wraps around, and",
                  Needs::values,
                  OrderEffect::rounded_sum},
    ReductionInfo{Reduction::sub,
                  "sub",
                  {},
                  "x - y",
                  "xor",
                  "sub of integers wraps around, and",
                  Needs::values,
                  OrderEffect::rounded_sum},
    ReductionInfo{Reduction::prod,
                  "prod",
                  {"mul", "multiply"},
                  "x * y",
                  "and",
                  "prod of integers wraps around, and",
                  Needs::values,
                  OrderEffect::rounded_prod},
    ReductionInfo{Reduction::min,
                  "min",
                  {"amin", "minimum"},
                  "y if y < x, else x",
                  "and",
                  "the least of some integers",
                  Needs::order,
                  OrderEffect::first_stays},
    ReductionInfo{Reduction::max,
                  "max",
                  {"amax", "maximum"},
                  "y if x < y, else x",
                  "or",
                  "the greatest of some integers",
                  Needs::order,
                  OrderEffect::first_stays},
};

namespace detail {
constexpr bool reductions_in_enum_order() {
  for (std::size_t i = 0; i < reduction_table.size(); ++i) {
    if (static_cast<std::size_t>(reduction_table[i].reduction) != i) return false;
  }
  return true;
}
}  // namespace detail
static_assert(detail::reductions_in_enum_order(), "reduction_table is indexed by Reduction");

constexpr const ReductionInfo& info(Reduction reduction) {
  return reduction_table[static_cast<std::size_t>(reduction)];
}

constexpr std::string_view to_string(Reduction reduction) { return info(reduction).name; }

// By name or alias, without regard to case; nullopt if there is none.
std::optional<Reduction> reduction_from_name(std::string_view name);

// Whether the reduction is defined for the dtype.
bool is_defined(Reduction reduction, DType dtype);

// REQUIRES: is_defined.
OrderEffect order_effect(Reduction reduction, DType dtype);

}  // namespace tscatter
