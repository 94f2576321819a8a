// Tolerance: how far two elements may be apart. docs/compare.md says what each member means for
// each dtype.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tscatter/core/error.hpp"

namespace tscatter {

// An element is within tolerance when either of
//     |actual - expected| <= atol + rtol * |expected|    (rtol or atol given; the other one is 0)
//     at most max_ulp representable values apart         (max_ulp given)
// holds. With neither, bits must be equal; byte order and memory order never matter.
struct Tolerance {
  std::optional<double> rtol = {};
  std::optional<double> atol = {};
  std::optional<std::uint64_t> max_ulp = {};
  bool equal_nan = false;  // any NaN equals any NaN

  bool is_exact() const { return !rtol && !atol && !max_ulp; }
};

// Throws Error (usage, compare.c1) when rtol or atol is negative, infinite or NaN.
void check(const Tolerance& tolerance);

extern const std::span<const Rule> compare_rules;

}  // namespace tscatter
