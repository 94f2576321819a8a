// Numbers rounded to odd: cut, and the last bit set where that is not exact. Rounding the result
// again, to fewer bits, gives what rounding the number once would.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "tscatter/core/half.hpp"

namespace tscatter {

// As a float.
inline float rounded_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(nearest) == value) return nearest;
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  const bool is_above = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
  return std::bit_cast<float>((is_above ? bits - 1 : bits) | 1U);
}

// As a double.
template <std::integral Integer>
double rounded_to_odd(Integer value) {
  const auto nearest = static_cast<double>(value);
  using Wide = std::conditional_t<std::is_signed_v<Integer>, std::int64_t, std::uint64_t>;
  constexpr int digits = std::numeric_limits<double>::digits;
  const bool is_negative = std::cmp_less(value, 0);
  const auto wide = static_cast<std::uint64_t>(static_cast<Wide>(value));
  const std::uint64_t magnitude = is_negative ? 0 - wide : wide;
  const int surplus = static_cast<int>(std::bit_width(magnitude)) - digits;
  if (surplus <= 0) return nearest;
  const std::uint64_t cut = magnitude >> surplus;
  const bool is_exact = cut << surplus == magnitude;
  const double odd = std::ldexp(static_cast<double>(is_exact ? cut : cut | 1), surplus);
  return is_negative ? -odd : odd;
}

template <HalfWidth T>
T rounded_once(double value) {
  return T(rounded_to_odd(value));
}

}  // namespace tscatter
