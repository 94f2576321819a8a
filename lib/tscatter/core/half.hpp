// float16 and bfloat16 as C++ types: 16 bits, converted to float exactly, and from float rounding
// to nearest even. Arithmetic is done in float and rounded once; that is correctly rounded, since a
// float has more than twice the digits of either. Rounding turns a NaN into the quiet one without
// payload and keeps its sign.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace tscatter {

class Half {
 public:
  Half() = default;
  explicit constexpr Half(float value) : bits_{narrowed(value)} {}

  explicit constexpr operator float() const { return widened(bits_); }
  explicit constexpr operator double() const { return static_cast<double>(widened(bits_)); }

  static constexpr Half quiet_nan() { return std::bit_cast<Half>(std::uint16_t{0x7E00}); }
  static constexpr Half largest() { return std::bit_cast<Half>(std::uint16_t{0x7BFF}); }

 private:
  static constexpr float widened(std::uint16_t bits);
  static constexpr std::uint16_t narrowed(float value);

  std::uint16_t bits_;  // 1 sign, 5 exponent, 10 fraction
};

class BFloat16 {
 public:
  BFloat16() = default;
  explicit constexpr BFloat16(float value) : bits_{narrowed(value)} {}

  explicit constexpr operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16U);
  }
  explicit constexpr operator double() const {
    return static_cast<double>(static_cast<float>(*this));
  }

  static constexpr BFloat16 quiet_nan() { return std::bit_cast<BFloat16>(std::uint16_t{0x7FC0}); }
  static constexpr BFloat16 largest() { return std::bit_cast<BFloat16>(std::uint16_t{0x7F7F}); }

 private:
  static constexpr std::uint16_t narrowed(float value);

  std::uint16_t bits_;  // 1 sign, 8 exponent, 7 fraction: the upper half of a float
};

template <class T>
concept HalfWidth = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <HalfWidth T>
constexpr T operator+(T x, T y) {
  return T(static_cast<float>(x) + static_cast<float>(y));
}
template <HalfWidth T>
constexpr T operator-(T x, T y) {
  return T(static_cast<float>(x) - static_cast<float>(y));
}
template <HalfWidth T>
constexpr T operator*(T x, T y) {
  return T(static_cast<float>(x) * static_cast<float>(y));
}

constexpr float Half::widened(std::uint16_t bits) {
  constexpr std::uint32_t first_normal = 0x0400U << 13U;
  constexpr std::uint32_t first_infinite = 0x7C00U << 13U;
  constexpr std::uint32_t rebias = 112U << 23U;  // from a bias of 15 to one of 127
  constexpr float hidden = 0x1p-14F;
  const std::uint32_t magnitude = (bits & 0x7FFFU) << 13U;
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
#if defined(__aarch64__)
  // Each of these processors converts, also in vectors. It would make a signalling NaN quiet.
  if (!std::is_constant_evaluated()) {
    const auto converted = static_cast<float>(__builtin_bit_cast(__fp16, bits));
    const auto nan = std::bit_cast<float>((magnitude + 2 * rebias) | sign);
    return magnitude > first_infinite ? nan : converted;
  }
#endif
  std::uint32_t wide = magnitude + rebias;
  if (magnitude >= first_infinite) {
    wide += rebias;
  } else if (magnitude < first_normal) {
    // For a subnormal number, sets a hidden bit and then subtracts it.
    const auto with_hidden = std::bit_cast<float>(magnitude + std::bit_cast<std::uint32_t>(hidden));
    wide = std::bit_cast<std::uint32_t>(with_hidden - hidden);
  }
  return std::bit_cast<float>(wide | sign);
}

constexpr std::uint16_t Half::narrowed(float value) {
  constexpr std::uint32_t least_normal = 0x38800000;    // 2^-14
  constexpr std::uint32_t first_infinite = 0x47800000;  // 2^16
  constexpr std::uint32_t rebias = 112U << 23U;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
#if defined(__aarch64__)
  // It would keep what there is room for of a NaN's payload.
  if (!std::is_constant_evaluated()) {
    const auto converted = __builtin_bit_cast(std::uint16_t, static_cast<__fp16>(value));
    const auto nan = static_cast<std::uint16_t>(0x7E00U | (bits & 0x80000000U) >> 16U);
    return magnitude > 0x7F800000U ? nan : converted;
  }
#endif
  std::uint32_t narrow = 0;
  if (magnitude >= first_infinite) {
    narrow = magnitude > 0x7F800000U ? 0x7E00 : 0x7C00;
  } else if (magnitude < least_normal) {
    // Adding 0.5 rounds to a multiple of 2^-24, the last place of a float near 0.5 and of all
    // subnormal half floats.
    narrow = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
             std::bit_cast<std::uint32_t>(0.5F);
  } else {
    const std::uint32_t even = (magnitude >> 13U) & 1U;
    narrow = (magnitude - rebias + 0xFFFU + even) >> 13U;
  }
  return static_cast<std::uint16_t>(narrow | (bits & 0x80000000U) >> 16U);
}

constexpr std::uint16_t BFloat16::narrowed(float value) {
  constexpr std::uint32_t quiet_nan = 0x7FC0;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t even = (bits >> 16U) & 1U;
  const std::uint32_t rounded = (bits + 0x7FFFU + even) >> 16U;
  const bool is_nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
  return static_cast<std::uint16_t>(is_nan ? quiet_nan | (bits & 0x80000000U) >> 16U : rounded);
}

// ---- Numbers rounded to odd: cut, and the last bit set where that is not exact. Rounding the
// result again, to fewer bits, gives what rounding the number once would.

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
