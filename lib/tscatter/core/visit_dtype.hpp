// The one switch over dtypes. visit_dtype(dtype, []<class T> {…}) calls the function with the C++
// type of the dtype. The narrower visitors filter it.
#pragma once

#include <cassert>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/half.hpp"

namespace tscatter {

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

}  // namespace tscatter
