// The ways to break a rule that several forms share, as rows to be joined with a form's own. Their
// order is the order of generated cases. Not part of the installed interface.
#pragma once

#include <algorithm>
#include <array>

#include "tscatter/generate/broken_call.hpp"

namespace tscatter::generate {

// joined(array{a, b}, array{c}) -> array{a, b, c}
template <std::size_t... sizes>
constexpr std::array<Variant, (sizes + ...)> joined(const std::array<Variant, sizes>&... parts) {
  std::array<Variant, (sizes + ...)> all{};
  auto end = all.begin();
  ((end = std::ranges::copy(parts, end).out), ...);
  return all;
}

inline constexpr std::array axis_operand_variants{
    Variant{Check::axis_scalar, "axis-float32", axis_float32},
    Variant{Check::axis_scalar, "axis-bool", axis_bool},
    Variant{Check::axis_scalar, "axis-two-elements", axis_two},
    Variant{Check::axis_scalar, "axis-no-element", axis_none},
    Variant{Check::axis_scalar, "axis-rank-2", axis_rank_2},
};

inline constexpr std::array axis_range_variants{
    Variant{Check::axis_range, "axis-above", axis_above},
    Variant{Check::axis_range, "axis-below", axis_below},
    Variant{Check::axis_range, "axis-int64-max", axis_largest},
    Variant{Check::axis_range, "axis-int64-min", axis_smallest},
};

inline constexpr auto axis_variants = joined(axis_operand_variants, axis_range_variants);

// Ways to break the range of indices along one axis.
inline constexpr std::array index_range_variants{
    Variant{Check::index_range, "index-above", index_above},
    Variant{Check::index_range, "index-below", index_below},
    Variant{Check::index_range, "index-int64-max", index_largest, takes_int64},
    Variant{Check::index_range, "index-int64-min", index_smallest, takes_int64},
    Variant{Check::index_range, "index-uint64-max", indices_largest_uint64, takes_uint64},
};

inline constexpr std::array updates_rank_variants{
    Variant{Check::updates_shape, "updates-axis-more", updates_axis_more},
    Variant{Check::updates_shape, "updates-axis-less", updates_axis_less},
};

inline constexpr std::array updates_first_size_variants{
    Variant{Check::updates_shape, "updates-first-axis-longer", updates_first_size_more},
    Variant{Check::updates_shape, "updates-first-axis-shorter", updates_first_size_less},
};

inline constexpr std::array updates_last_size_variants{
    Variant{Check::updates_shape, "updates-last-axis-longer", updates_last_size_more},
    Variant{Check::updates_shape, "updates-last-axis-1", updates_last_size_one},
};

inline constexpr std::array updates_dtype_variants{
    Variant{Check::updates_dtype, "updates-dtype-of-same-size", updates_of_same_size},
    Variant{Check::updates_dtype, "updates-dtype-of-other-size", updates_of_other_size},
};

inline constexpr auto updates_variants = joined(updates_rank_variants, updates_first_size_variants,
                                                updates_last_size_variants, updates_dtype_variants);

}  // namespace tscatter::generate
