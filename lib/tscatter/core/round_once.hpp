// float64 to the half types, rounded once: going through float would round twice. Not part of the
// installed interface.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "tscatter/core/half.hpp"

namespace tscatter {

// The value as a float; a longer one is cut, and its last bit set, so that rounding it again gives
// what rounding it once would.
inline float rounded_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(nearest) == value) return nearest;
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  const bool is_above = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
  return std::bit_cast<float>((is_above ? bits - 1 : bits) | 1U);
}

template <HalfWidth T>
T rounded_once(double value) {
  return T(rounded_to_odd(value));
}

}  // namespace tscatter
