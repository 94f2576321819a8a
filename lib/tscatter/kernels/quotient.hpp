// The division at the end of a mean. Not part of the installed interface.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/kernels/reductions.hpp"

namespace tscatter {

// What an element is divided by after so many updates; 1 if the reduction does not divide.
inline std::int64_t divisor_of(Reduction reduction, InitialValue initial, std::int64_t updates) {
  if (!info(reduction).divides) return 1;
  return updates + (initial == InitialValue::data ? 1 : 0);
}

// Integers are rounded down. Half floats are divided as float32, the divisor rounded to it, and
// rounded once more. REQUIRES: divisor >= 1.
template <std::integral Count>
Bool quotient(Bool sum, Count /*divisor*/) {
  return sum;
}
template <std::signed_integral T, std::integral Count>
T quotient(T sum, Count divisor) {
  const auto by = static_cast<std::int64_t>(divisor);
  const bool is_cut_up = sum % by < 0;
  return static_cast<T>(sum / by - (is_cut_up ? 1 : 0));
}
template <std::unsigned_integral T, std::integral Count>
T quotient(T sum, Count divisor) {
  return static_cast<T>(sum / static_cast<std::uint64_t>(divisor));
}
template <class T, std::integral Count>
T quotient(T sum, Count divisor) {
  using Wide = std::conditional_t<HalfWidth<T>, float, T>;
  return reductions::with_one_nan(T(static_cast<Wide>(sum) / static_cast<Wide>(divisor)));
}
template <class T, std::integral Count>
std::complex<T> quotient(std::complex<T> sum, Count divisor) {
  return {quotient(sum.real(), divisor), quotient(sum.imag(), divisor)};
}

// sums[i] = sums[i] / divisors[i] for `count` native elements, at any alignment, but for a divisor
// of 0 nothing.
using DivideLoop = void (*)(std::byte* sums, const std::int64_t* divisors, std::int64_t count);

// nullptr where the reduction does not divide. REQUIRES: it is defined for the dtype.
DivideLoop divide_loop(DType dtype, Reduction reduction);

// The same by updates[i] + own, but where updates[i] is 0 nothing. REQUIRES: the divisor has 32
// bits.
using DivideByUpdates = void (*)(std::byte* sums, const std::uint32_t* updates, std::uint32_t own,
                                 std::int64_t count);
DivideByUpdates divide_by_updates(DType dtype, Reduction reduction);

}  // namespace tscatter
