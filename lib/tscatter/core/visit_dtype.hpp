// The one switch over dtypes, and the bits of an element.
#pragma once

#include <bit>
#include <cassert>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/half.hpp"

namespace tscatter {

// ---- The one switch over dtypes. visit_dtype(dtype, []<class T> {…}) calls the function with the
// C++ type of the dtype. The narrower visitors filter it.

// A bool as in files: any byte but 0 is true.
enum class Bool : std::uint8_t {};

template <class T>
inline constexpr bool is_complex_v = false;
template <class T>
inline constexpr bool is_complex_v<std::complex<T>> = true;

// REQUIRES: dtype is not opaque.
template <class Function>
decltype(auto) visit_dtype(DType dtype, Function&& function) {
  switch (dtype) {
    case DType::boolean: return function.template operator()<Bool>();
    case DType::int8: return function.template operator()<std::int8_t>();
    case DType::int16: return function.template operator()<std::int16_t>();
    case DType::int32: return function.template operator()<std::int32_t>();
    case DType::int64: return function.template operator()<std::int64_t>();
    case DType::uint8: return function.template operator()<std::uint8_t>();
    case DType::uint16: return function.template operator()<std::uint16_t>();
    case DType::uint32: return function.template operator()<std::uint32_t>();
    case DType::uint64: return function.template operator()<std::uint64_t>();
    case DType::float16: return function.template operator()<Half>();
    case DType::bfloat16: return function.template operator()<BFloat16>();
    case DType::float32: return function.template operator()<float>();
    case DType::float64: return function.template operator()<double>();
    case DType::complex64: return function.template operator()<std::complex<float>>();
    case DType::complex128: return function.template operator()<std::complex<double>>();
    case DType::opaque: break;
  }
  assert(false && "opaque elements have no C++ type");
  std::abort();
}

// REQUIRES: is_integer(dtype).
template <class Function>
decltype(auto) visit_integer_dtype(DType dtype, Function&& function) {
  using Result = decltype(function.template operator()<std::int64_t>());
  return visit_dtype(dtype, [&]<class T>() -> Result {
    if constexpr (std::is_integral_v<T>) {
      return function.template operator()<T>();
    } else {
      assert(false && "not an integer dtype");
      std::abort();
    }
  });
}

// ---- The bits of an element, half floats widened to float, and the reals of an element.

// The bits of an element, or of one part of a complex one.
template <std::size_t size>
using ElementBits = std::conditional_t<
    size == 1, std::uint8_t,
    std::conditional_t<size == 2, std::uint16_t,
                       std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
inline constexpr bool is_real_v = std::is_floating_point_v<T> || HalfWidth<T>;

// Corrects the exponent of a half whose bits were shifted into a float's position.
inline constexpr float two_to_112 = 5192296858534827628530496329220096.0F;

// Branch-free, unlike Half's own conversion, so that the compiler can vectorise a loop: a
// multiplication moves the exponent, exactly, subnormal numbers included.
inline float widen(std::uint16_t half_bits) {
  constexpr std::uint32_t sign_bit = 0x8000;
  constexpr std::uint32_t magnitude_bits = 0x7FFF;
  constexpr std::uint32_t first_infinite = 0x7C00;
  const std::uint32_t magnitude = half_bits & magnitude_bits;
  const float scaled = std::bit_cast<float>(magnitude << 13U) * two_to_112;
  const auto finite = std::bit_cast<std::uint32_t>(scaled);
  const std::uint32_t infinite = (magnitude << 13U) | 0x7F800000U;
  const std::uint32_t sign = (half_bits & sign_bit) << 16U;
  return std::bit_cast<float>((magnitude >= first_infinite ? infinite : finite) | sign);
}

inline float widen(Half value) { return widen(std::bit_cast<std::uint16_t>(value)); }
inline float widen(BFloat16 value) {
  const std::uint32_t bits = std::bit_cast<std::uint16_t>(value);
  return std::bit_cast<float>(bits << 16U);
}

// Calls function.operator()<Real, parts>(): an element of the dtype is so many real numbers, 2 of a
// complex one. Returns `otherwise` for another dtype.
template <class Result, class Function>
Result visit_reals(DType dtype, Result otherwise, const Function& function) {
  if (dtype == DType::opaque) return otherwise;
  return visit_dtype(dtype, [&]<class T>() -> Result {
    if constexpr (is_complex_v<T>) {
      return function.template operator()<typename T::value_type, 2>();
    } else if constexpr (is_real_v<T>) {
      return function.template operator()<T, 1>();
    } else {
      return otherwise;
    }
  });
}

}  // namespace tscatter
