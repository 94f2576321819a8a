// The errors of one pair of elements, for the C++ type of each dtype, as docs/compare.md defines
// them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tscatter/compare/census.hpp"
#include "tscatter/core/visit_dtype.hpp"

namespace tscatter::element_math {

// The type of absolute errors. A double holds them exactly, except for 64-bit integers: their
// errors need all 64 bits.
template <class T>
using Magnitude =
    std::conditional_t<std::is_integral_v<T> && sizeof(T) == 8, std::uint64_t, double>;

template <HalfWidth T>
double real_value(T value) {
  return static_cast<double>(widen(value));
}
inline double real_value(Bool value) { return static_cast<std::uint8_t>(value) != 0 ? 1 : 0; }
template <class T>
requires std::is_arithmetic_v<T>
double real_value(T value) { return static_cast<double>(value); }

// |expected| as tolerance and relative error take it.
template <class T>
double scale(T value) {
  if constexpr (std::is_same_v<T, std::complex<float>>) {
    const auto re = static_cast<double>(value.real());
    const auto im = static_cast<double>(value.imag());
    return std::sqrt(re * re + im * im);
  } else if constexpr (is_complex_v<T>) {
    return std::hypot(value.real(), value.imag());
  } else {
    return std::fabs(real_value(value));
  }
}

template <class T>
Magnitude<T> absolute_error(T actual, T expected) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    const auto a = static_cast<std::uint64_t>(actual);
    const auto e = static_cast<std::uint64_t>(expected);
    return actual > expected ? a - e : e - a;
  } else if constexpr (is_complex_v<T>) {
    // Parts are subtracted in double: of float it loses next to nothing and cannot overflow.
    const std::complex<double> a(actual);
    const std::complex<double> e(expected);
    const std::complex<double> difference(a.real() - e.real(), a.imag() - e.imag());
    if constexpr (sizeof(T) == sizeof(std::complex<float>)) {
      return std::sqrt(difference.real() * difference.real() +
                       difference.imag() * difference.imag());
    } else {
      return std::hypot(difference.real(), difference.imag());
    }
  } else {
    return std::fabs(real_value(actual) - real_value(expected));
  }
}

// Whether the exact `error` is at most `bound`, a double that is not negative.
inline bool is_at_most(double error, double bound) { return error <= bound; }
inline bool is_at_most(std::uint64_t error, double bound) {
  constexpr double two_to_64 = 18446744073709551616.0;
  return bound >= two_to_64 || error <= static_cast<std::uint64_t>(bound);
}

inline double relative_error(double absolute, double expected_scale) {
  if (absolute == 0) return 0;
  const double relative = absolute / expected_scale;  // infinite where expected is 0
  return std::isnan(relative) ? HUGE_VAL : relative;  // both are beyond float64
}

// Numbers sign-and-magnitude values so that neighbours differ by one; both zeros have the same
// number.
template <std::unsigned_integral B>
B ordinal(B bits) {
  constexpr B sign = static_cast<B>(B{1} << (8 * sizeof(B) - 1));
  const B magnitude = static_cast<B>(bits & static_cast<B>(~sign));
  return static_cast<B>((bits & sign) != 0 ? sign - magnitude : sign + magnitude);
}

template <std::unsigned_integral B>
B ordinal_distance(B actual, B expected) {
  const B a = ordinal(actual);
  const B e = ordinal(expected);
  return static_cast<B>(a > e ? a - e : e - a);
}

template <class T>
std::uint64_t ulp_error(T actual, T expected) {
  if constexpr (is_real_v<T>) {
    using B = ElementBits<sizeof(T)>;
    return ordinal_distance(std::bit_cast<B>(actual), std::bit_cast<B>(expected));
  } else if constexpr (is_complex_v<T>) {
    return std::max(ulp_error(actual.real(), expected.real()),
                    ulp_error(actual.imag(), expected.imag()));
  } else {
    return static_cast<std::uint64_t>(absolute_error(actual, expected));
  }
}

// Whether a real value passes the test, or a part of a complex one; others do not.
template <class T, class Test>
bool any_part(T value, const Test& test) {
  if constexpr (is_complex_v<T>) {
    return test(value.real()) || test(value.imag());
  } else if constexpr (is_real_v<T>) {
    return test(real_value(value));
  } else {
    return false;
  }
}

template <class T>
bool is_nan(T value) {
  return any_part(value, [](auto part) { return std::isnan(part); });
}

template <class T>
bool is_infinite(T value) {
  return any_part(value, [](auto part) { return std::isinf(part); });
}

// Whether they have the same value: -0.0 is 0.0, and any byte but 0 is true.
template <class T>
bool is_same_value(T a, T b) {
  if constexpr (is_complex_v<T>) {
    return a.real() == b.real() && a.imag() == b.imag();
  } else if constexpr (std::is_integral_v<T>) {
    return a == b;
  } else {
    return real_value(a) == real_value(b);
  }
}

template <class T>
bool is_finite(T value) {
  return !is_nan(value) && !is_infinite(value);
}

inline double bound(const Tolerance& tolerance, double expected_scale) {
  return tolerance.atol.value_or(0) + tolerance.rtol.value_or(0) * expected_scale;
}

// The types whose differences and moduli may be beyond float64.
template <class T>
inline constexpr bool may_overflow_v =
    std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>;

// is_near() if the bound is not finite: compares a quarter of both sides, which cannot overflow.
// Digits lost to underflow do not matter beside such a bound.
template <class T>
bool is_near_beyond_float64(T actual, T expected, const Tolerance& tolerance) {
  constexpr double quarter = 0.25;
  const double error = absolute_error(actual * quarter, expected * quarter);
  const double atol = tolerance.atol.value_or(0) * quarter;
  return error <= atol + tolerance.rtol.value_or(0) * scale(expected * quarter);
}

// |actual - expected| <= atol + rtol * |expected|, of finite numbers.
template <class T>
bool is_near(T actual, T expected, const Tolerance& tolerance) {
  const double most = bound(tolerance, scale(expected));
  if constexpr (may_overflow_v<T>) {
    if (!std::isfinite(most)) return is_near_beyond_float64(actual, expected, tolerance);
  }
  return is_at_most(absolute_error(actual, expected), most);
}

// Whether a pair with different bits is within tolerance: the whole rule, for one pair.
template <class T>
bool is_within(T actual, T expected, const Tolerance& tolerance) {
  if (is_nan(actual) || is_nan(expected))
    return tolerance.equal_nan && is_nan(actual) && is_nan(expected);
  if (!is_finite(actual) || !is_finite(expected))
    return !tolerance.is_exact() && is_same_value(actual, expected);
  if (tolerance.max_ulp && ulp_error(actual, expected) <= *tolerance.max_ulp) return true;
  if (!tolerance.rtol && !tolerance.atol) return false;
  return is_near(actual, expected, tolerance);
}

}  // namespace tscatter::element_math
