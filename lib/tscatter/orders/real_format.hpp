// The real dtypes as formats: precision, range, and the lane type that computes them. A lane holds
// a value of the dtype exactly; rounded() rounds the result of a step to the dtype.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tscatter/core/visit_dtype.hpp"

namespace tscatter::orders {

constexpr double power_of_two(int exponent) {
  double power = 1;
  for (; exponent > 0; --exponent) power *= 2;
  for (; exponent < 0; ++exponent) power /= 2;
  return power;
}

// wide_precision: the precision of the narrowest wider accumulator that decision 41 allows.
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

// Several lanes as one value, which compilers keep in vector registers: arithmetic works lane by
// lane, a comparison gives -1 or 0.
template <class Real>
struct LaneVectorOf {
  using Type [[gnu::vector_size(32)]] = Real;
};
template <class Real>
using LaneVector = typename LaneVectorOf<Real>::Type;

// float16: to 11 bits if normal, else to a multiple of 2^-24, both to nearest even. Of a lane, or
// of several: Word is an unsigned integer as wide.
template <class Real, class Word>
[[gnu::always_inline]] inline void round_to_half(Real& value) {
  const Word none{};
  const Real half = Real{} + 0.5F;
  const auto bits = __builtin_bit_cast(Word, value);
  const Word magnitude = bits & 0x7FFFFFFFU;
  const Word to_nearest = (magnitude + 0xFFFU + ((magnitude >> 13U) & 1U)) & ~0x1FFFU;
  const auto is_infinite = to_nearest >= 0x47800000U;  // 65536
  const auto is_small = magnitude < 0x38800000U;       // the least normal number, 2^-14
  const auto is_nan = magnitude > 0x7F800000U;
  const Word finite = is_infinite ? none + 0x7F800000U : to_nearest;
  const auto small = __builtin_bit_cast(Word, (__builtin_bit_cast(Real, magnitude) + half) - half);
  const Word result = is_small ? small : finite;
  value = __builtin_bit_cast(Real, (is_nan ? none + 0x7FC00000U : result) | (bits & 0x80000000U));
}

template <class Real, class Word>
[[gnu::always_inline]] inline void round_to_bfloat16(Real& value) {
  const Word none{};
  const auto bits = __builtin_bit_cast(Word, value);
  const Word result = (bits + 0x7FFFU + ((bits >> 16U) & 1U)) & 0xFFFF0000U;
  const auto is_nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
  value = __builtin_bit_cast(Real, is_nan ? none + 0x7FC00000U : result);
}

// Rounds the result of a step to T, in each lane.
template <class T, class Real, class Word>
[[gnu::always_inline]] inline void round_lanes(Real& value) {
  if constexpr (std::is_same_v<T, Half>) round_to_half<Real, Word>(value);
  if constexpr (std::is_same_v<T, BFloat16>) round_to_bfloat16<Real, Word>(value);
}

template <class T>
Lane<T> rounded(Lane<T> value) {
  round_lanes<T, Lane<T>, std::uint32_t>(value);
  return value;
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
