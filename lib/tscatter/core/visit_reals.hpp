// visit_reals(): the real numbers that elements are made of. Not part of the installed interface.
#pragma once

#include "tscatter/core/element_bits.hpp"

namespace tscatter {

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
