#include "tscatter/kernels/quotient.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/path.hpp"

namespace tscatter {
namespace {

template <class T, MeanQuotient rounding>
void divide(std::byte* sums, const std::int64_t* divisors, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (divisors[i] != 0) store(quotient(load<T>(sums, i), divisors[i], rounding), sums, i);
  }
}

template <class T>
void divide_by_root(std::byte* sums, const std::int64_t* divisors, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (divisors[i] != 0) store(quotient_by_root(load<T>(sums, i), divisors[i]), sums, i);
  }
}

// An integer that wraps around.
template <std::integral T>
std::int64_t counted(std::int64_t count, MeanDivisor /*divisor*/) {
  return static_cast<std::int64_t>(static_cast<T>(count));
}

// A float has all integers up to 2^digits: there a sum that grows by 1 stays.
template <class T>
std::int64_t counted(std::int64_t count, MeanDivisor divisor) {
  constexpr int digits = std::is_same_v<T, Half>       ? 11
                         : std::is_same_v<T, BFloat16> ? 8
                                                       : std::numeric_limits<T>::digits;
  if (divisor == MeanDivisor::stalling) return std::min(count, std::int64_t{1} << digits);
  if constexpr (HalfWidth<T>) {
    // A float has counts that a half float rounds anew.
    const auto rounded = static_cast<float>(T(static_cast<float>(count)));
    return std::isinf(rounded) ? infinite_count : static_cast<std::int64_t>(rounded);
  } else {
    return static_cast<std::int64_t>(static_cast<T>(count));
  }
}

// Without a branch: which elements were written cannot be foretold.
template <class T>
void divide_written(std::byte* sums, const std::uint32_t* updates, std::uint32_t own,
                    std::int64_t count) {
  vectorised([=] {
    for (std::int64_t i = 0; i < count; ++i) {
      const T sum = load<T>(sums, i);
      const T divided = quotient(sum, std::max(updates[i] + own, std::uint32_t{1}));
      store(updates[i] > 0 ? divided : sum, sums, i);
    }
  });
}

}  // namespace

std::int64_t divisor_in(DType dtype, MeanDivisor divisor, std::int64_t count) {
  return visit_dtype(dtype, [&]<class T>() -> std::int64_t {
    if constexpr (is_complex_v<T> || std::is_same_v<T, Bool>) {
      return count;
    } else {
      const std::int64_t made = counted<T>(count, divisor);
      return made == 0 ? 1 : made;
    }
  });
}

DivideLoop divide_loop(DType dtype, const Division& division) {
  if (!info(division.reduction).divides) return nullptr;
  const bool truncates = division.rules.quotient == MeanQuotient::truncate;
  const bool takes_root = info(division.reduction).takes_root;
  return visit_dtype(dtype, [&]<class T>() -> DivideLoop {
    if constexpr (is_real_v<T>) {
      if (takes_root) return divide_by_root<T>;
    }
    return truncates ? divide<T, MeanQuotient::truncate> : divide<T, MeanQuotient::floor>;
  });
}

DivideByUpdates divide_by_updates(DType dtype, const Division& division) {
  if (!info(division.reduction).divides) return nullptr;
  if (info(division.reduction).takes_root || !division.is_exact()) return nullptr;
  if (division.rules.quotient != MeanQuotient::floor) return nullptr;
  return visit_dtype(dtype, []<class T>() -> DivideByUpdates { return divide_written<T>; });
}

}  // namespace tscatter
