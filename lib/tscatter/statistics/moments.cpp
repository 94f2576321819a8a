#include "tscatter/statistics/moments.hpp"

namespace tscatter {
namespace {

constexpr std::size_t lanes = 8;
constexpr std::size_t piece = 65536;  // values whose sums, and counts, no lane lets overflow

template <class Value>
using Lanes = std::array<Value, lanes>;

template <class Value>
constexpr Value largest = std::numeric_limits<Value>::max();

template <class Value>
bool is_finite(Value value) {
  if constexpr (std::is_floating_point_v<Value>) {
    return std::abs(value) <= largest<Value>;
  } else {
    return true;
  }
}

// The sum of a piece by lane: of reals in float64, of integers in two halves.
template <class Value>
struct LaneSums {
  Lanes<std::int64_t> low{};
  Lanes<std::int64_t> high{};

  void add(std::size_t lane, Value value) {
    if constexpr (sizeof(Value) <= 4) {
      low[lane] += value;
    } else {
      low[lane] += static_cast<std::uint32_t>(value);
      high[lane] += static_cast<std::int64_t>(value >> 32);
    }
  }

  Int128 total() const {
    Int128 sum = 0;
    for (std::size_t i = 0; i < lanes; ++i) sum += Int128{high[i]} * (Int128{1} << 32) + low[i];
    return sum;
  }
};

template <class Value>
requires std::is_floating_point_v<Value>
struct LaneSums<Value> {
  Lanes<double> sums{};

  void add(std::size_t lane, Value value) { sums[lane] += static_cast<double>(value); }

  long double total() const {
    long double sum = 0;
    for (const double each : sums) sum += each;
    return sum;
  }
};

// All moments but the counts of what is not finite. REQUIRES: a whole number of lanes.
template <class Value>
Moments<Value> finite_moments(std::span<const Value> values) {
  Moments<Value> moments;
  Lanes<Value> min;
  Lanes<Value> max;
  min.fill(moments.min);
  max.fill(moments.max);
  LaneSums<Value> sums;
  Lanes<std::int32_t> zeros{};
  Lanes<std::int32_t> finite{};
  for (std::size_t i = 0; i < values.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const Value value = values[i + lane];
      const bool counts = is_finite(value);
      sums.add(lane, counts ? value : Value{0});
      min[lane] = counts && value < min[lane] ? value : min[lane];
      max[lane] = counts && value > max[lane] ? value : max[lane];
      zeros[lane] += value == 0 ? 1 : 0;
      finite[lane] += counts ? 1 : 0;
    }
  }
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    moments.min = std::min(moments.min, min[lane]);
    moments.max = std::max(moments.max, max[lane]);
    moments.zeros += zeros[lane];
    moments.finite += finite[lane];
  }
  moments.sum = sums.total();
  return moments;
}

template <class Value>
Moments<Value> one_by_one(std::span<const Value> values) {
  Moments<Value> moments;
  for (const Value value : values) moments.add(value, 1);
  return moments;
}

// REQUIRES: at most a piece.
template <class Value>
Moments<Value> piece_moments(std::span<const Value> values) {
  const auto whole = values.first(values.size() / lanes * lanes);
  Moments<Value> moments = finite_moments(whole);
  if constexpr (std::is_floating_point_v<Value>) {
    if (!std::isfinite(static_cast<double>(moments.sum))) return one_by_one(values);
    const auto all = static_cast<std::int64_t>(whole.size());
    if (moments.finite < all) {
      for (const Value value : whole) moments.positive_infinity += value > largest<Value> ? 1 : 0;
      for (const Value value : whole) moments.negative_infinity += value < -largest<Value> ? 1 : 0;
      moments.nan = all - moments.finite - moments.positive_infinity - moments.negative_infinity;
    }
  }
  moments.merge(one_by_one(values.subspan(whole.size())));
  return moments;
}

// A tenth more of the way from min to max each time, where that is another value.
template <class Value>
BinEdges<Value> real_edges(Value min, Value max) {
  BinEdges<Value> edges;
  const long double range = static_cast<long double>(max) - static_cast<long double>(min);
  for (std::size_t k = 0; k < most_bins; ++k) {
    const auto edge = static_cast<Value>(static_cast<long double>(min) +
                                         range * static_cast<long double>(k) / most_bins);
    if (k == 0 || edge > edges.first[edges.bins - 1]) edges.first[edges.bins++] = edge;
  }
  return edges;
}

template <class Value>
BinEdges<Value> integer_edges(Value min, Value max) {
  BinEdges<Value> edges;
  const Int128 range = Int128{max} - Int128{min} + 1;
  const Int128 width = (range + Int128{most_bins} - 1) / Int128{most_bins};
  edges.bins = static_cast<std::size_t>((range + width - 1) / width);
  for (std::size_t k = 0; k < edges.bins; ++k)
    edges.first[k] = static_cast<Value>(Int128{min} + width * static_cast<Int128>(k));
  return edges;
}

}  // namespace

template <class Value>
Moments<Value> moments_of(std::span<const Value> values) {
  Moments<Value> all;
  for (std::size_t begin = 0; begin < values.size(); begin += piece)
    all.merge(piece_moments(values.subspan(begin, std::min(piece, values.size() - begin))));
  return all;
}

template <class Value>
BinEdges<Value> bin_edges(const Moments<Value>& moments) {
  if constexpr (std::is_integral_v<Value>) {
    return integer_edges(moments.min, moments.max);
  } else {
    return real_edges(moments.min, moments.max);
  }
}

template <class Value>
void count_from_edges(std::span<const Value> values, const BinEdges<Value>& edges,
                      BinCounts& counts) {
  const std::array<Value, most_bins> first = edges.first;
  for (std::size_t begin = 0; begin < values.size(); begin += piece) {
    const auto part = values.subspan(begin, std::min(piece, values.size() - begin));
    std::array<std::int32_t, most_bins> reached{};
    for (const Value value : part) {
      for (std::size_t k = 0; k < most_bins; ++k) reached[k] += value >= first[k] ? 1 : 0;
    }
    for (std::size_t k = 0; k < edges.bins; ++k) counts[k] += reached[k];
  }
}

#define TSCATTER_INSTANTIATE(Value)                                                           \
  template Moments<Value> moments_of(std::span<const Value> values);                          \
  template BinEdges<Value> bin_edges(const Moments<Value>& moments);                          \
  template void count_from_edges(std::span<const Value> values, const BinEdges<Value>& edges, \
                                 BinCounts& counts);
TSCATTER_INSTANTIATE(std::int8_t)
TSCATTER_INSTANTIATE(std::uint8_t)
TSCATTER_INSTANTIATE(std::int16_t)
TSCATTER_INSTANTIATE(std::uint16_t)
TSCATTER_INSTANTIATE(std::int32_t)
TSCATTER_INSTANTIATE(std::uint32_t)
TSCATTER_INSTANTIATE(std::int64_t)
TSCATTER_INSTANTIATE(std::uint64_t)
TSCATTER_INSTANTIATE(float)
TSCATTER_INSTANTIATE(double)
#undef TSCATTER_INSTANTIATE

}  // namespace tscatter
