#include "tscatter/explain/exact_columns.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tscatter/core/visit_dtype.hpp"

namespace tscatter {
namespace {

// Of numbers m * 2^e.
struct Format {
  int precision;     // bits of m
  int max_exponent;  // 2^max_exponent is the first that overflows
  int min_exponent;  // 2^min_exponent is the least number above 0
};

template <class T>
constexpr Format format_of() {
  if constexpr (std::is_same_v<T, Half>)
    return {.precision = 11, .max_exponent = 16, .min_exponent = -24};
  if constexpr (std::is_same_v<T, BFloat16>)
    return {.precision = 8, .max_exponent = 128, .min_exponent = -133};
  if constexpr (std::is_same_v<T, float>)
    return {.precision = 24, .max_exponent = 128, .min_exponent = -149};
  return {.precision = 53, .max_exponent = 1024, .min_exponent = -1074};
}

// What the terms of one column have in common.
struct Column {
  bool has_nan = false;
  bool has_infinity = false;
  bool has_zero = false;
  int lowest = std::numeric_limits<int>::max();  // every term is a multiple of 2^lowest
  double magnitude = 0;                          // sum of |x| of the finite ones, rounded
  std::int64_t bits = 0;   // significant bits of all but powers of two: of their product at most
  std::int64_t above = 0;  // no partial product reaches 2^above
  std::int64_t below = 0;  // every partial product is a multiple of 2^below

  void take(double x) {
    if (std::isnan(x)) {
      has_nan = true;
    } else if (std::isinf(x)) {
      has_infinity = true;
    } else if (x == 0) {
      has_zero = true;
    } else {
      take_number(x);
    }
  }

  void take_number(double x) {
    constexpr int digits = std::numeric_limits<double>::digits;
    int exponent = 0;  // |x| < 2^exponent
    const double fraction = std::frexp(std::fabs(x), &exponent);
    const auto whole = static_cast<std::uint64_t>(std::ldexp(fraction, digits));
    const int significant = digits - std::countr_zero(whole);
    const int last = exponent - significant;
    lowest = std::min(lowest, last);
    magnitude += std::fabs(x);
    if (significant > 1) bits += significant;
    above += std::max(exponent, 0);
    below += std::min(last, 0);
  }
};

// The roundings of `magnitude`, and of the accumulator, can make it no more than twice too small.
bool has_exact_sums(const Column& column, const Format& format, std::int64_t terms) {
  if (column.has_nan) return true;
  const double rounded_up =
      column.magnitude * (1 + static_cast<double>(terms) * std::numeric_limits<double>::epsilon());
  if (column.has_infinity) return rounded_up <= std::ldexp(1.0, format.max_exponent - 2);
  if (column.magnitude == 0) return true;
  return rounded_up <=
         std::ldexp(1.0, std::min(column.lowest + format.precision, format.max_exponent - 1));
}

bool has_exact_products(const Column& column, const Format& format, std::int64_t terms) {
  if (column.has_nan) return true;
  if (column.has_infinity) return false;
  if (column.has_zero) {
    const double growth = std::ldexp(2.0 * static_cast<double>(terms), -format.precision) + 1;
    return static_cast<double>(column.above) + growth <= format.max_exponent;
  }
  return column.bits <= format.precision && column.above <= format.max_exponent &&
         column.below >= format.min_exponent;
}

template <class T>
void take_row(const std::byte* row, std::span<Column> columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    T value;
    std::memcpy(&value, row + i * sizeof(T), sizeof(T));
    columns[i].take(static_cast<double>(value));
  }
}

// `parts`: reals of an element.
template <class T>
std::vector<bool> exact(Reduction reduction, std::size_t parts, Terms& terms) {
  std::vector<Column> columns(terms.columns() * parts);
  take_row<T>(terms.data(), columns);
  for (std::int64_t k = 0; k < terms.updates(); ++k) take_row<T>(terms.update(k), columns);
  std::vector<bool> result(terms.columns(), true);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_exact = reduction == Reduction::prod
                              ? has_exact_products(columns[i], format_of<T>(), terms.updates())
                              : has_exact_sums(columns[i], format_of<T>(), terms.updates() + 1);
    if (!is_exact) result[i / parts] = false;
  }
  return result;
}

}  // namespace

std::vector<bool> exact_columns(DType dtype, Reduction reduction, Terms& terms) {
  return visit_dtype(dtype, [&]<class T>() {
    std::vector<bool> result(terms.columns(), !is_complex_v<T>);
    if constexpr (is_complex_v<T>) {
      if (reduction != Reduction::prod) result = exact<typename T::value_type>(reduction, 2, terms);
    } else if constexpr (HalfWidth<T> || std::is_floating_point_v<T>) {
      result = exact<T>(reduction, 1, terms);
    }
    return result;
  });
}

}  // namespace tscatter
