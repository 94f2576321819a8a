// What a device may do with one element, simulated independently of the code that judges it:
// orders, trees, blocks, wider accumulators. A value of a real dtype is held as a double; each step
// is computed exactly or in 113 bits, and rounded by the oracle or by the compiler's conversion.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "oracle/arithmetic.hpp"
#include "property/random.hpp"
#include "tscatter/core/dtype.hpp"
#include "tscatter/core/visit_dtype.hpp"

namespace tscatter::device {

using property::Random;

// 113 bits: the compiler's type, or long double if that has them.
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Quad;
#else
static_assert(std::numeric_limits<long double>::digits >= 113);
typedef long double Quad;
#endif

template <class T>
constexpr DType dtype_of() {
  if (std::is_same_v<T, Half>) return DType::float16;
  if (std::is_same_v<T, BFloat16>) return DType::bfloat16;
  return std::is_same_v<T, float> ? DType::float32 : DType::float64;
}

// To nearest even.
template <class T, class From>
double rounded(From value) {
  if constexpr (std::is_same_v<T, double>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_same_v<T, float>) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    const oracle::RealFormat format = oracle::format_of(dtype_of<T>());
    return oracle::decoded(format, oracle::encoded(format, static_cast<double>(value)));
  }
}

template <class T>
T element(double value) {
  if constexpr (HalfWidth<T>) {
    const oracle::RealFormat format = oracle::format_of(dtype_of<T>());
    return std::bit_cast<T>(static_cast<std::uint16_t>(oracle::encoded(format, value)));
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
double value_of(T element) {
  if constexpr (HalfWidth<T>) {
    return oracle::decoded(oracle::format_of(dtype_of<T>()), std::bit_cast<std::uint16_t>(element));
  } else {
    return static_cast<double>(element);
  }
}

// Whether the device takes subnormal results for zero, of their sign.
inline bool flushes_results = false;

// A subnormal number of T as a zero.
template <class T>
double flushed(double value) {
  constexpr int least_exponent = std::is_same_v<T, Half>     ? -14
                                 : std::is_same_v<T, double> ? -1022
                                                             : -126;
  return std::fabs(value) < std::ldexp(1.0, least_exponent) ? std::copysign(0.0, value) : value;
}

// What a step leaves.
template <class T, class From>
double left(From value) {
  return flushes_results ? flushed<T>(rounded<T>(value)) : rounded<T>(value);
}

// The type of a step before it is rounded to T: sums and products of two halves are exact in a
// double or, like those of float64 in a Quad, far enough from a tie to be rounded twice.
template <class T>
using Exact = std::conditional_t<std::is_same_v<T, double>, Quad, double>;

enum class Step : std::uint8_t { add, multiply };

template <class T>
double combined(Step step, double a, double b) {
  using E = Exact<T>;
  const E x = static_cast<E>(a);
  const E y = static_cast<E>(b);
  return left<T>(step == Step::add ? x + y : x * y);
}

using Terms = std::vector<double>;  // data first; sub's updates are negated

template <class T>
double in_one_accumulator(Step step, const Terms& terms, const std::vector<std::size_t>& order) {
  double value = terms[0];
  for (const std::size_t k : order) value = combined<T>(step, value, terms[k]);
  return value;
}

inline std::vector<std::size_t> order_of_writers(Random& random, std::size_t writers) {
  std::vector<std::size_t> order = property::random_order(random, writers);
  for (std::size_t& term : order) ++term;
  return order;
}

// Combines two of the values at a time, any two or neighbours, until one is left.
template <class T>
double in_a_tree(Random& random, Step step, Terms values) {
  const bool takes_any = random.chance(50);
  while (values.size() > 1) {
    const std::size_t first = random.bits() % (values.size() - 1);
    const std::size_t second =
        takes_any ? first + 1 + random.bits() % (values.size() - first - 1) : first + 1;
    values[first] = combined<T>(step, values[first], values[second]);
    if (takes_any) std::swap(values[second], values.back());
    values.erase(takes_any ? values.end() - 1
                           : values.begin() + static_cast<std::ptrdiff_t>(second));
  }
  return values[0];
}

template <class T>
double pairwise(Step step, Terms values) {
  while (values.size() > 1) {
    const std::size_t half = (values.size() + 1) / 2;
    for (std::size_t i = 0; i + half < values.size(); ++i) {
      values[i] = combined<T>(step, values[i], values[i + half]);
    }
    values.resize(half);
  }
  return values[0];
}

template <class T>
double in_blocks(Step step, const Terms& terms, std::size_t size) {
  double value = terms[0];
  for (std::size_t first = 1; first < terms.size(); first += size) {
    double block = terms[first];
    for (std::size_t k = first + 1; k < std::min(first + size, terms.size()); ++k) {
      block = combined<T>(step, block, terms[k]);
    }
    value = combined<T>(step, value, block);
  }
  return value;
}

// In order or from both ends, rounded once.
template <class T, class Wide>
double in_wider(Step step, const Terms& terms, const std::vector<std::size_t>& order) {
  Wide value = static_cast<Wide>(terms[0]);
  for (const std::size_t k : order) {
    const Wide x = static_cast<Wide>(terms[k]);
    value = step == Step::add ? value + x : value * x;
  }
  return left<T>(value);
}

// Blocks in a wider format, each rounded, then one accumulator at the dtype's precision.
template <class T, class Wide>
double in_mixed(Step step, const Terms& terms, std::size_t size) {
  double value = terms[0];
  for (std::size_t first = 1; first < terms.size(); first += size) {
    Wide block = static_cast<Wide>(terms[first]);
    for (std::size_t k = first + 1; k < std::min(first + size, terms.size()); ++k) {
      const Wide x = static_cast<Wide>(terms[k]);
      block = step == Step::add ? block + x : block * x;
    }
    value = combined<T>(step, value, left<T>(block));
  }
  return value;
}

template <class T, class Narrower, class Wider>
double in_some_wider(Random& random, Step step, const Terms& terms) {
  const auto order = order_of_writers(random, terms.size() - 1);
  const auto size = static_cast<std::size_t>(random.between(2, 8));
  switch (random.between(0, 2)) {
    case 0: return in_wider<T, Narrower>(step, terms, order);
    case 1: return in_wider<T, Wider>(step, terms, order);
    default: return in_mixed<T, Narrower>(step, terms, size);
  }
}

// Any of them.
template <class T>
double some_result(Random& random, Step step, const Terms& terms) {
  switch (random.between(0, 5)) {
    case 0:
    case 1: return in_one_accumulator<T>(step, terms, order_of_writers(random, terms.size() - 1));
    case 2: return in_a_tree<T>(random, step, terms);
    case 3: return pairwise<T>(step, terms);
    case 4: return in_blocks<T>(step, terms, static_cast<std::size_t>(random.between(2, 32)));
    default: break;
  }
  if constexpr (std::is_same_v<T, double>) {
    return in_some_wider<T, long double, Quad>(random, step, terms);
  } else if constexpr (std::is_same_v<T, float>) {
    return in_some_wider<T, double, long double>(random, step, terms);
  } else {
    return in_some_wider<T, float, double>(random, step, terms);
  }
}

}  // namespace tscatter::device
