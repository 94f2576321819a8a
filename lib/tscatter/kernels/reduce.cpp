#include "tscatter/kernels/reduce.hpp"

#include <concepts>
#include <cstring>
#include <type_traits>

#include "tscatter/core/visit_dtype.hpp"

namespace tscatter {
namespace {

// Integers add and multiply in an unsigned type of at least int's width: wrapping, without promotion to int.
template <std::integral T>
using Wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

bool is_true(Bool value) { return static_cast<std::uint8_t>(value) != 0; }
Bool to_bool(bool value) { return static_cast<Bool>(value ? 1 : 0); }

// Whether `a` comes before `b`. Half floats are compared as the floats that they stand for.
template <class T>
bool less(T a, T b) {
  if constexpr (HalfWidth<T>) {
    return static_cast<float>(a) < static_cast<float>(b);
  } else {
    return a < b;
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
    return x + y;
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
    return x - y;
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
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  }
  template <class T>
  static T apply(T x, T y) {
    return x * y;
  }
};

// The update is taken only where it compares less (greater): a NaN in data stays, one in updates is passed over.
struct Min {
  static Bool apply(Bool x, Bool y) { return Prod::apply(x, y); }
  template <class T>
  static T apply(T x, T y) {
    return less(y, x) ? y : x;
  }
};

struct Max {
  static Bool apply(Bool x, Bool y) { return Sum::apply(x, y); }
  template <class T>
  static T apply(T x, T y) {
    return less(x, y) ? y : x;
  }
};

template <class T, class Operation>
void loop(std::byte* into, const std::byte* updates, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    T x;
    T y;
    std::memcpy(&x, into + i * static_cast<std::ptrdiff_t>(sizeof(T)), sizeof(T));
    std::memcpy(&y, updates + i * static_cast<std::ptrdiff_t>(sizeof(T)), sizeof(T));
    x = Operation::apply(x, y);
    std::memcpy(into + i * static_cast<std::ptrdiff_t>(sizeof(T)), &x, sizeof(T));
  }
}

template <class T>
ReduceLoop loop_for(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum: return loop<T, Sum>;
    case Reduction::sub: return loop<T, Sub>;
    case Reduction::prod: return loop<T, Prod>;
    default: break;
  }
  if constexpr (!is_complex_v<T>) {
    if (reduction == Reduction::min) return loop<T, Min>;
    if (reduction == Reduction::max) return loop<T, Max>;
  }
  return nullptr;
}

}  // namespace

ReduceLoop reduce_loop(DType dtype, Reduction reduction) {
  if (dtype == DType::opaque) return nullptr;
  return visit_dtype(dtype, [&]<class T>() { return loop_for<T>(reduction); });
}

}  // namespace tscatter
