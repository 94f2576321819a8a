// Moments: minimum, maximum, sum and counts of the values of a piece, or of many merged in order;
// and the edges of a histogram. Not part of the installed interface.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "tscatter/core/int128.hpp"

namespace tscatter {

// Integers are summed exactly; reals with more range and precision than float64, so that no sum of
// finite values becomes infinite.
template <class Value>
using SumOf = std::conditional_t<std::is_integral_v<Value>, Int128, long double>;

template <class Value>
struct Moments {
  Value min = std::numeric_limits<Value>::max();  // of the finite values
  Value max = std::numeric_limits<Value>::lowest();
  SumOf<Value> sum{};  // of the finite values
  std::int64_t finite = 0;
  std::int64_t nan = 0;
  std::int64_t positive_infinity = 0;
  std::int64_t negative_infinity = 0;
  std::int64_t zeros = 0;

  // `count` times the same value.
  void add(Value value, std::int64_t count) {
    if constexpr (std::is_floating_point_v<Value>) {
      if (std::isnan(value)) return void(nan += count);
      if (std::isinf(value))
        return void((value > 0 ? positive_infinity : negative_infinity) += count);
    }
    min = std::min(min, value);
    max = std::max(max, value);
    sum += static_cast<SumOf<Value>>(value) * static_cast<SumOf<Value>>(count);
    finite += count;
    if (value == 0) zeros += count;
  }

  void merge(const Moments& other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    sum += other.sum;
    finite += other.finite;
    nan += other.nan;
    positive_infinity += other.positive_infinity;
    negative_infinity += other.negative_infinity;
    zeros += other.zeros;
  }
};

// Of many values of 4 or 8 bytes.
template <class Value>
Moments<Value> moments_of(std::span<const Value> values);

inline constexpr std::size_t most_bins = 10;

// The lower edges of a histogram's bins. Those after the first `bins` are unused.
template <class Value>
struct BinEdges {
  std::array<Value, most_bins> first{};
  std::size_t bins = 0;
};

// REQUIRES: moments.finite > 0.
template <class Value>
BinEdges<Value> bin_edges(const Moments<Value>& moments);

using BinCounts = std::array<std::int64_t, most_bins>;

// Adds to counts[k] the number of values at or above the k-th edge.
template <class Value>
void count_from_edges(std::span<const Value> values, const BinEdges<Value>& edges,
                      BinCounts& counts);

}  // namespace tscatter
