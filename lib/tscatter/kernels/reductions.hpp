// The reductions as function objects over the C++ types of the dtypes. docs/ops.md says what each
// dtype does.
#pragma once

#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/core/visit_dtype.hpp"

namespace tscatter::reductions {

// Integers add and multiply in an unsigned type of at least int's width: wrapping, without
// promotion to int.
template <std::integral T>
using Wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

inline bool is_true(Bool value) { return static_cast<std::uint8_t>(value) != 0; }
inline Bool to_bool(bool value) { return static_cast<Bool>(value ? 1 : 0); }

// Whether `a` comes before `b`. Half floats are compared as the floats that they stand for.
template <class T>
bool less(T a, T b) {
  if constexpr (HalfWidth<T>) {
    return static_cast<float>(a) < static_cast<float>(b);
  } else {
    return a < b;
  }
}

template <class T>
constexpr T quiet_nan() {
  if constexpr (HalfWidth<T>) {
    return T::quiet_nan();
  } else {
    return std::numeric_limits<T>::quiet_NaN();
  }
}

// The value, or the one NaN that sum, sub and prod produce: quiet, with a clear sign bit. Which NaN
// a processor produces depends on the order in which the compiler put the operands.
template <class T>
T with_one_nan(T value) {
  if constexpr (is_complex_v<T>) {
    return {with_one_nan(value.real()), with_one_nan(value.imag())};
  } else {
    using Wide = std::conditional_t<HalfWidth<T>, float, T>;
    return std::isnan(static_cast<Wide>(value)) ? quiet_nan<T>() : value;
  }
}

struct Sum {
  static Bool apply(Bool x, Bool y) { return to_bool(is_true(x) || is_true(y)); }
  template <std::integral T>
  static T apply(T x, T y) {
    return static_cast<T>(static_cast<Wrapping<T>>(x) + static_cast<Wrapping<T>>(y));
  }
  template <class T>
  static T apply(T x, T y) {
    return with_one_nan(x + y);
  }
};

struct Sub {
  static Bool apply(Bool x, Bool y) { return to_bool(is_true(x) != is_true(y)); }
  template <std::integral T>
  static T apply(T x, T y) {
    return static_cast<T>(static_cast<Wrapping<T>>(x) - static_cast<Wrapping<T>>(y));
  }
  template <class T>
  static T apply(T x, T y) {
    return with_one_nan(x - y);
  }
};

struct Prod {
  static Bool apply(Bool x, Bool y) { return to_bool(is_true(x) && is_true(y)); }
  template <std::integral T>
  static T apply(T x, T y) {
    return static_cast<T>(static_cast<Wrapping<T>>(x) * static_cast<Wrapping<T>>(y));
  }
  // Not std::complex's operator*, which recovers infinities.
  template <class T>
  static std::complex<T> apply(std::complex<T> x, std::complex<T> y) {
    return with_one_nan(std::complex<T>(x.real() * y.real() - x.imag() * y.imag(),
                                        x.real() * y.imag() + x.imag() * y.real()));
  }
  template <class T>
  static T apply(T x, T y) {
    return with_one_nan(x * y);
  }
};

struct BitAnd {
  static Bool apply(Bool x, Bool y) { return Prod::apply(x, y); }
  template <std::integral T>
  static T apply(T x, T y) {
    return static_cast<T>(x & y);
  }
};

struct BitOr {
  static Bool apply(Bool x, Bool y) { return Sum::apply(x, y); }
  template <std::integral T>
  static T apply(T x, T y) {
    return static_cast<T>(x | y);
  }
};

struct BitXor {
  static Bool apply(Bool x, Bool y) { return Sub::apply(x, y); }
  template <std::integral T>
  static T apply(T x, T y) {
    return static_cast<T>(x ^ y);
  }
};

template <class T>
bool is_nan(T value) {
  if constexpr (std::integral<T>) {
    return false;
  } else if constexpr (HalfWidth<T>) {
    return std::isnan(static_cast<float>(value));
  } else {
    return std::isnan(value);
  }
}

template <class T>
bool is_negative(T value) {
  if constexpr (HalfWidth<T>) {
    return std::signbit(static_cast<float>(value));
  } else {
    return std::signbit(value);
  }
}

template <bool is_min, class T>
bool precedes(T a, T b) {
  return is_min ? less(a, b) : less(b, a);
}

// Whether the update y replaces x.
template <Extremes family, bool is_min, class T>
bool takes_update(T x, T y) {
  const bool is_before = precedes<is_min>(y, x);
  if constexpr (family == Extremes::data) return is_before;
  if constexpr (family == Extremes::update) return !precedes<is_min>(x, y);
  if constexpr (family == Extremes::propagate) return !is_nan(x) && (is_nan(y) || is_before);
  if constexpr (family == Extremes::ieee) {
    const bool is_other_zero =
        !precedes<is_min>(x, y) && is_negative(x) != is_negative(y) && is_negative(y) == is_min;
    return !is_nan(x) && (is_nan(y) || is_before || is_other_zero);
  }
  if constexpr (family == Extremes::ignore) return is_before || (is_nan(x) && !is_nan(y));
}

template <Extremes of_family, bool of_min>
struct MinMax {
  static constexpr Extremes family = of_family;
  static constexpr bool is_min = of_min;
  static Bool apply(Bool x, Bool y) { return is_min ? Prod::apply(x, y) : Sum::apply(x, y); }
  template <class T>
  static T apply(T x, T y) {
    return takes_update<family, is_min>(x, y) ? y : x;
  }
};

template <Extremes family, class Function>
auto visit_extreme(Reduction reduction, const Function& function) {
  return tscatter::is_min(reduction) ? function.template operator()<MinMax<family, true>>()
                                     : function.template operator()<MinMax<family, false>>();
}

// Whether an element's bits are its value.
template <class T>
inline constexpr bool is_bits_v = std::integral<T> || std::is_same_v<T, Bool>;

// Integers and bools have one result in every family.
template <class T, class Function>
auto visit_family(Reduction reduction, const Function& function) {
  if constexpr (is_bits_v<T>) {
    return visit_extreme<Extremes::data>(reduction, function);
  } else {
    switch (info(reduction).extremes) {
      case Extremes::data: return visit_extreme<Extremes::data>(reduction, function);
      case Extremes::update: return visit_extreme<Extremes::update>(reduction, function);
      case Extremes::propagate: return visit_extreme<Extremes::propagate>(reduction, function);
      case Extremes::ieee: return visit_extreme<Extremes::ieee>(reduction, function);
      case Extremes::ignore: return visit_extreme<Extremes::ignore>(reduction, function);
    }
    unreachable();
  }
}

template <class Function>
auto visit_bits(Reduction reduction, const Function& function) {
  if (reduction == Reduction::bit_and) return function.template operator()<BitAnd>();
  if (reduction == Reduction::bit_or) return function.template operator()<BitOr>();
  return function.template operator()<BitXor>();
}

// Calls function.operator()<Operation>() for the reduction; returns nullptr where T has no such
// reduction. `Function` returns a pointer.
template <class T, class Function>
auto visit_reduction(Reduction reduction, const Function& function)
    -> decltype(function.template operator()<Sum>()) {
  constexpr bool is_ordered = !is_complex_v<T>;
  switch (reduction) {
    case Reduction::none: return nullptr;
    case Reduction::sum:
    case Reduction::mean:  // divided at the end
    case Reduction::sqrt_n: return function.template operator()<Sum>();
    case Reduction::sub: return function.template operator()<Sub>();
    case Reduction::prod: return function.template operator()<Prod>();
    case Reduction::min:
    case Reduction::max:
    case Reduction::min_update:
    case Reduction::max_update:
    case Reduction::min_propagate:
    case Reduction::max_propagate:
    case Reduction::min_ieee:
    case Reduction::max_ieee:
    case Reduction::min_ignore:
    case Reduction::max_ignore:
      if constexpr (is_ordered) return visit_family<T>(reduction, function);
      return nullptr;
    case Reduction::bit_and:
    case Reduction::bit_or:
    case Reduction::bit_xor:
      if constexpr (is_bits_v<T>) return visit_bits(reduction, function);
      return nullptr;
  }
  unreachable();
}

}  // namespace tscatter::reductions
