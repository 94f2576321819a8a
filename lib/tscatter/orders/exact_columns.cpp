#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/orders/dependence_judge.hpp"
#include "tscatter/orders/real_format.hpp"

namespace tscatter::orders {
namespace {

// What is known about the terms of one column.
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
    constexpr int bias = std::numeric_limits<double>::max_exponent - 2;  // of fractions below 1
    const auto bits_of_x = std::bit_cast<std::uint64_t>(std::fabs(x));
    int exponent = static_cast<int>(bits_of_x >> (digits - 1)) - bias;  // |x| < 2^exponent
    // The leading bit is not stored; a subnormal number has none there.
    std::uint64_t whole =
        (bits_of_x & ((std::uint64_t{1} << (digits - 1)) - 1)) | (std::uint64_t{1} << (digits - 1));
    if (std::fabs(x) < std::numeric_limits<double>::min()) {
      const double fraction = std::frexp(std::fabs(x), &exponent);
      whole = static_cast<std::uint64_t>(std::ldexp(fraction, digits));
    }
    const int significant = digits - std::countr_zero(whole);
    const int last = exponent - significant;
    lowest = std::min(lowest, last);
    magnitude += std::fabs(x);
    if (significant > 1) bits += significant;
    above += std::max(exponent, 0);
    below += std::min(last, 0);
  }
};

// An upper bound of the exact magnitude. `magnitude` itself is exact as long as float64 has
// enough digits to count multiples of the lowest bit. REQUIRES: the magnitude is not 0.
double rounded_up(const Column& column, std::int64_t terms) {
  constexpr int digits = std::numeric_limits<double>::digits;
  if (column.magnitude < std::ldexp(1.0, column.lowest + digits)) return column.magnitude;
  const double epsilon = std::numeric_limits<double>::epsilon();
  return column.magnitude * (1 + static_cast<double>(terms) * epsilon);
}

// Roundings in an accumulator make it at most twice as great.
template <class Format>
bool has_exact_sums(const Column& column, std::int64_t terms) {
  if (column.has_nan || column.magnitude == 0) return true;
  const double magnitude = rounded_up(column, terms);
  if (column.has_infinity) return magnitude <= std::ldexp(1.0, Format::max_exponent - 1);
  return magnitude <=
         std::ldexp(1.0, std::min(column.lowest + Format::precision, Format::max_exponent));
}

template <class Format>
bool has_exact_products(const Column& column, std::int64_t terms) {
  if (column.has_nan) return true;
  if (column.has_infinity) return false;
  if (column.has_zero) {
    const double growth = std::ldexp(2.0 * static_cast<double>(terms), -Format::precision) + 1;
    return static_cast<double>(column.above) + growth <= Format::max_exponent + 1;
  }
  return column.bits <= Format::precision && column.above <= Format::max_exponent + 1 &&
         column.below >= Format::min_exponent;
}

template <class T>
void take_row(const std::byte* row, std::span<Column> columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    T value;
    std::memcpy(&value, row + i * sizeof(T), sizeof(T));
    columns[i].take(static_cast<double>(value));
  }
}

// `parts`: how many reals an element has.
template <class T>
std::vector<bool> exact(bool is_product, std::size_t parts, TermTable& terms) {
  std::vector<Column> columns(terms.columns() * parts);
  take_row<T>(terms.data(), columns);
  for (std::int64_t k = 0; k < terms.updates(); ++k) take_row<T>(terms.update(k), columns);
  std::vector<bool> result(terms.columns(), true);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_exact = is_product
                              ? has_exact_products<RealFormat<T>>(columns[i], terms.updates())
                              : has_exact_sums<RealFormat<T>>(columns[i], terms.updates() + 1);
    if (!is_exact) result[i / parts] = false;
  }
  return result;
}

}  // namespace

std::vector<bool> exact_columns(DType dtype, Reduction reduction, TermTable& terms) {
  const bool is_product = info(reduction).effect == OrderEffect::rounded_prod;
  return visit_reals(dtype, std::vector<bool>(), [&]<class Real, std::size_t parts>() {
    const bool is_examined = parts == 1 || !is_product;
    return is_examined ? exact<Real>(is_product, parts, terms)
                       : std::vector<bool>(terms.columns(), false);
  });
}

}  // namespace tscatter::orders
