// The loops over one block of pairs, for one element type: what differs, by how much, and which is
// most. Each step is a separate loop over the whole block, so that most become vector code and rare
// cases stay out of them. The loops use plain pointers: otherwise a byte that is written could
// alias what its caller holds.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "tscatter/compare/element_math.hpp"
#include "tscatter/compare/pair_judge.hpp"
#include "tscatter/core/byte_order.hpp"

namespace tscatter::pair_loops {

using element_math::Magnitude;

inline constexpr auto block_size = static_cast<std::size_t>(judged_block);

// A complex element has two parts, any other has one: itself.
template <class T>
inline constexpr std::size_t parts_v = is_complex_v<T> ? 2 : 1;
template <class T>
using PartBits = ElementBits<sizeof(T) / parts_v<T>>;

// The bits that are all set in an infinity and in a NaN; all bits if the type has neither.
template <class T>
constexpr PartBits<T> exponent_mask() {
  if constexpr (std::is_same_v<T, Half>) return 0x7C00;
  if constexpr (std::is_same_v<T, BFloat16>) return 0x7F80;
  if constexpr (std::is_floating_point_v<T> || is_complex_v<T>)
    return sizeof(PartBits<T>) == 4 ? static_cast<PartBits<T>>(0x7F800000U)
                                    : static_cast<PartBits<T>>(0x7FF0000000000000U);
  return 0;
}

template <class T>
void compare_parts(const std::byte* actual, const std::byte* expected, std::size_t parts,
                   std::uint8_t* __restrict flags) {
  using B = PartBits<T>;
  constexpr B mask = exponent_mask<T>();
  for (std::size_t i = 0; i < parts; ++i) {
    B a = load<B>(actual, i);
    B e = load<B>(expected, i);
    if constexpr (std::is_same_v<T, Bool>) {
      a = a != 0 ? 1 : 0;
      e = e != 0 ? 1 : 0;
    }
    std::uint8_t flag = a != e ? element_flags::differing : 0;
    if constexpr (mask != 0) {
      const bool is_finite = (a & mask) != mask && (e & mask) != mask;
      flag |= is_finite ? std::uint8_t{0} : element_flags::not_finite;
    }
    flags[i] = flag;
  }
}

inline void join_parts(const std::uint8_t* parts, std::size_t count,
                       std::uint8_t* __restrict flags) {
  for (std::size_t i = 0; i < count; ++i) flags[i] = parts[2 * i] | parts[2 * i + 1];
}

inline std::uint8_t any_of(const std::uint8_t* flags, std::size_t count) {
  std::uint8_t all = 0;
  for (std::size_t i = 0; i < count; ++i) all |= flags[i];
  return all;
}

// How many elements have exactly `wanted` of the flags in `mask`.
inline std::int64_t count_of(const std::uint8_t* flags, std::size_t count, std::uint8_t mask,
                             std::uint8_t wanted) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += (flags[i] & mask) == wanted ? 1 : 0;
  return sum;
}

// Replaces what is not finite by some finite number; its errors are corrected later. Goes through
// memory, bits by bits: the compiler does not vectorise a loop that turns bits into a float.
template <HalfWidth T>
void widen_all(const std::byte* elements, std::size_t count, float* __restrict wide) {
  constexpr bool is_bfloat = std::is_same_v<T, BFloat16>;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t half = load<std::uint16_t>(elements, i);
    const std::uint32_t bits =
        is_bfloat ? half << 16U : (half & 0x7FFFU) << 13U | (half & 0x8000U) << 16U;
    std::memcpy(wide + i, &bits, sizeof bits);
  }
  if (is_bfloat) return;
  for (std::size_t i = 0; i < count; ++i) wide[i] *= two_to_112;
}

// Widens halves first: the compiler does not vectorise a loop from 2 bytes to 8.
template <class T>
void measure(const std::byte* actual, const std::byte* expected, std::size_t count,
             Magnitude<T>* __restrict absolute, double* __restrict scale) {
  if constexpr (HalfWidth<T>) {
    std::array<float, block_size> a;
    std::array<float, block_size> e;
    widen_all<T>(actual, count, a.data());
    widen_all<T>(expected, count, e.data());
    for (std::size_t i = 0; i < count; ++i) {
      absolute[i] = element_math::absolute_error(a[i], e[i]);
      scale[i] = element_math::scale(e[i]);
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      absolute[i] = element_math::absolute_error(load<T>(actual, i), load<T>(expected, i));
      scale[i] = element_math::scale(load<T>(expected, i));
    }
  }
}

template <class B>
void measure_ulp(const std::byte* actual, const std::byte* expected, std::size_t parts,
                 B* __restrict ulp) {
  for (std::size_t i = 0; i < parts; ++i)
    ulp[i] = element_math::ordinal_distance(load<B>(actual, i), load<B>(expected, i));
}

template <class B>
void join_ulp(B* ulp, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) ulp[i] = std::max(ulp[2 * i], ulp[2 * i + 1]);
}

// REQUIRES: no NaN. Uses lanes, since the compiler may not reorder a maximum of doubles itself.
template <class Number>
Number greatest(const Number* numbers, std::size_t count) {
  constexpr std::size_t lanes = 64 / sizeof(Number);
  std::array<Number, lanes> most{};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
      most[lane] = numbers[i + lane] > most[lane] ? numbers[i + lane] : most[lane];
  }
  for (; i < count; ++i) most[0] = std::max(most[0], numbers[i]);
  return *std::max_element(most.begin(), most.end());
}

// Whether one of the relative errors may be above `below`. An error over its scale that is above it
// is itself at least `below * scale`, rounded.
template <class Number>
bool may_reach(const Number* absolute, const double* scale, std::size_t count, double below) {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto error = static_cast<double>(absolute[i]);
    any |= static_cast<std::uint64_t>(error >= below * scale[i]) &
           static_cast<std::uint64_t>(error > 0);
  }
  return any != 0;
}

inline bool any_is_not_finite(const double* scale, std::size_t count, double atol, double rtol) {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_finite = atol + rtol * scale[i] <= std::numeric_limits<double>::max();
    any |= static_cast<std::uint64_t>(!is_finite);
  }
  return any != 0;
}

}  // namespace tscatter::pair_loops
