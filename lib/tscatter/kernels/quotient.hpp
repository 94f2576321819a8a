// The division at the end of a mean.
#pragma once

#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/reductions.hpp"

namespace tscatter {

// How a mean of elements of a dtype is divided.
struct Division {
  Reduction reduction = Reduction::none;
  InitialValue initial = InitialValue::data;
  MeanRules rules = {};
  DType dtype = DType::float32;  // of data

  bool is_exact() const { return rules.divisor == MeanDivisor::exact; }
  // The dtype in which a sum of the accumulator's dtype is divided.
  DType divided_in(DType accumulator) const { return rules.rounds_sum() ? dtype : accumulator; }
};

// A count of values as data's dtype has it: always an integer, and never 0. A signed one may have
// become negative.
std::int64_t divisor_in(DType dtype, MeanDivisor divisor, std::int64_t count);

// What an element is divided by after so many updates; 1 if the reduction does not divide.
inline std::int64_t divisor_of(const Division& division, std::int64_t updates) {
  if (!info(division.reduction).divides) return 1;
  const std::int64_t count = updates + (division.initial == InitialValue::data ? 1 : 0);
  return division.is_exact() ? count : divisor_in(division.dtype, division.rules.divisor, count);
}

// Stands for a count that float16 does not have: there it is infinity.
inline constexpr std::int64_t infinite_count = std::int64_t{1} << 62;

// Integers are rounded as `rounding` says. Half floats are divided as float32, the divisor rounded
// to it, and rounded once more. REQUIRES: divisor is not 0.
template <std::integral Count>
Bool quotient(Bool sum, Count /*divisor*/, MeanQuotient /*rounding*/ = MeanQuotient::floor) {
  return sum;
}
template <std::signed_integral T, std::integral Count>
T quotient(T sum, Count divisor, MeanQuotient rounding = MeanQuotient::floor) {
  const auto by = static_cast<std::int64_t>(divisor);
  if (by == -1) return static_cast<T>(0 - static_cast<std::uint64_t>(sum));  // the least one, too
  const bool is_cut_up = sum % by != 0 && (sum < 0) != (by < 0);
  const bool is_lowered = is_cut_up && rounding == MeanQuotient::floor;
  return static_cast<T>(sum / by - (is_lowered ? 1 : 0));
}
template <std::unsigned_integral T, std::integral Count>
T quotient(T sum, Count divisor, MeanQuotient /*rounding*/ = MeanQuotient::floor) {
  return static_cast<T>(sum / static_cast<std::uint64_t>(divisor));
}
template <class T>
using QuotientReal = std::conditional_t<HalfWidth<T>, float, T>;
template <class T, std::integral Count>
QuotientReal<T> real_count(Count count) {
  using Real = QuotientReal<T>;
  const bool is_infinite = std::is_same_v<T, Half> && std::cmp_equal(count, infinite_count);
  return is_infinite ? std::numeric_limits<Real>::infinity() : static_cast<Real>(count);
}
template <class T, std::integral Count>
T quotient(T sum, Count divisor, MeanQuotient /*rounding*/ = MeanQuotient::floor) {
  return reductions::with_one_nan(T(static_cast<QuotientReal<T>>(sum) / real_count<T>(divisor)));
}
template <class T, std::integral Count>
std::complex<T> quotient(std::complex<T> sum, Count divisor,
                         MeanQuotient /*rounding*/ = MeanQuotient::floor) {
  return {quotient(sum.real(), divisor), quotient(sum.imag(), divisor)};
}

// The square root of a count, rounded to T, a float. REQUIRES: count is greater than 0.
template <class T>
T root_of(std::int64_t count) {
  return T(std::sqrt(real_count<T>(count)));
}

template <class T>
T quotient_by_root(T sum, std::int64_t count) {
  using Real = QuotientReal<T>;
  return reductions::with_one_nan(T(static_cast<Real>(sum) / static_cast<Real>(root_of<T>(count))));
}

// The sum as the reduction leaves it: divided by the count, or by its root. REQUIRES: the reduction
// is defined for T.
template <class T>
T divided(Reduction reduction, T sum, std::int64_t count) {
  if (count == 1) return sum;
  if constexpr (is_real_v<T>) {
    if (info(reduction).takes_root) return quotient_by_root(sum, count);
  }
  return quotient(sum, count);
}

// sums[i] = sums[i] / divisors[i], or / sqrt(divisors[i]), for `count` native elements, at any
// alignment, but for a divisor of 0 nothing.
using DivideLoop = void (*)(std::byte* sums, const std::int64_t* divisors, std::int64_t count);

// nullptr where the reduction does not divide. `dtype`: of the sums. REQUIRES: the reduction is
// defined for it.
DivideLoop divide_loop(DType dtype, const Division& division);

// The same by updates[i] + own, but where updates[i] is 0 nothing. nullptr also where the divisor
// is not exact, or a root, or integers are truncated. REQUIRES: the divisor has 32 bits.
using DivideByUpdates = void (*)(std::byte* sums, const std::uint32_t* updates, std::uint32_t own,
                                 std::int64_t count);
DivideByUpdates divide_by_updates(DType dtype, const Division& division);

}  // namespace tscatter
