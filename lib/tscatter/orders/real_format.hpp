// The real dtypes as formats: precision, range, and the lane type that computes them. A lane holds
// a value of the dtype exactly; rounded() rounds the result of a step to the dtype. Not part of the
// installed interface.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tscatter/core/element_bits.hpp"

namespace tscatter::orders {

constexpr double power_of_two(int exponent) {
  double power = 1;
  for (; exponent > 0; --exponent) power *= 2;
  for (; exponent < 0; ++exponent) power /= 2;
  return power;
}

// wide_precision: that of the narrowest wider accumulator that docs/verify.md allows.
template <class LaneType, int digits, int least_exponent, int greatest_exponent, int wide_digits>
struct FormatOf {
  using Lane = LaneType;
  static constexpr int precision = digits;
  static constexpr int max_exponent = greatest_exponent;            // of the greatest number
  static constexpr int min_exponent = least_exponent - digits + 1;  // of the least one above 0
  static constexpr double unit = power_of_two(-digits);
  static constexpr double wide_unit = power_of_two(-wide_digits);
  static constexpr double normal_min = power_of_two(least_exponent);
  static constexpr double least = power_of_two(least_exponent - digits + 1);
  static constexpr double most = power_of_two(greatest_exponent) * (2 - 2 * unit);
};

template <class T>
struct RealFormat;
template <>
struct RealFormat<Half> : FormatOf<float, 11, -14, 15, 24> {};
template <>
struct RealFormat<BFloat16> : FormatOf<float, 8, -126, 127, 24> {};
template <>
struct RealFormat<float> : FormatOf<float, 24, -126, 127, 53> {};
template <>
struct RealFormat<double> : FormatOf<double, 53, -1022, 1023, 64> {};

template <class T>
using Lane = typename RealFormat<T>::Lane;

template <class T>
Lane<T> widened(T value) {
  if constexpr (HalfWidth<T>) {
    return widen(value);
  } else {
    return value;
  }
}

// float16: to 11 bits if normal, else to a multiple of 2^-24, both to nearest even.
inline float rounded_to_half(float value) {
  constexpr float least_normal = 0x1p-14F;
  constexpr std::uint32_t first_infinite = 0x47800000U;  // 65536
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits & 0x80000000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  const std::uint32_t even = (magnitude >> 13U) & 1U;
  const std::uint32_t to_nearest = (magnitude + 0xFFFU + even) & ~0x1FFFU;
  const bool is_nan = magnitude > 0x7F800000U;
  const std::uint32_t finite = to_nearest >= first_infinite ? 0x7F800000U : to_nearest;
  const float small = (std::bit_cast<float>(magnitude) + 0.5F) - 0.5F;
  const bool is_small = std::bit_cast<float>(magnitude) < least_normal;
  const std::uint32_t result = is_small ? std::bit_cast<std::uint32_t>(small) : finite;
  return std::bit_cast<float>((is_nan ? 0x7FC00000U : result) | sign);
}

inline float rounded_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t even = (bits >> 16U) & 1U;
  const std::uint32_t result = (bits + 0x7FFFU + even) & 0xFFFF0000U;
  const bool is_nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
  return std::bit_cast<float>(is_nan ? 0x7FC00000U : result);
}

template <class T>
Lane<T> rounded(Lane<T> value) {
  if constexpr (std::is_same_v<T, Half>) {
    return rounded_to_half(value);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return rounded_to_bfloat16(value);
  } else {
    return value;
  }
}

template <class Real>
using LaneBits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

template <class Real>
LaneBits<Real> lane_bits(Real value) {
  return std::bit_cast<LaneBits<Real>>(value);
}

// The greatest power of two <= value. REQUIRES: value > 0.
inline double floor_power(double value) {
  constexpr std::uint64_t exponent_bits = 0x7FF0000000000000U;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & exponent_bits);
}

// The value of the lowest set bit; infinity for 0.
inline double lowest_bit(double value) {
  constexpr std::uint64_t fraction_bits = 0x000FFFFFFFFFFFFFU;
  const auto bits = std::bit_cast<std::uint64_t>(std::fabs(value));
  const std::uint64_t fraction = bits & fraction_bits;
  const auto power = std::bit_cast<double>(bits & ~fraction_bits);
  const std::uint64_t low = fraction & (~fraction + 1);
  const double bit = std::bit_cast<double>((bits & ~fraction_bits) | low) - power;
  const double least = fraction == 0 ? power : bit;
  return least == 0 ? HUGE_VAL : least;
}

}  // namespace tscatter::orders
