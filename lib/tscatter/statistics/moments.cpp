#include "tscatter/statistics/moments.hpp"

#include <cstring>

#include "tscatter/kernels/path.hpp"

// The loops below, compiled a second time for processors with AVX2. The results are the same:
// nothing is contracted, and the lanes are the same.
#define TSCATTER_INLINE [[gnu::always_inline]] inline
#if defined(__x86_64__)
#define TSCATTER_AVX2 __attribute__((target("avx2")))
#else
#define TSCATTER_AVX2
#endif

namespace tscatter {
namespace {

constexpr std::size_t vector_bytes = 32;
constexpr std::size_t piece = 65536;  // values whose sums, and counts, no lane lets overflow

// Lanes as one value, which compilers keep in vector registers: arithmetic works lane by lane, and
// a comparison gives -1 for true and 0 for false.
template <class Value>
struct LanesOf {
  using Type [[gnu::vector_size(vector_bytes)]] = Value;
};
template <class Value>
using Lanes = typename LanesOf<Value>::Type;
template <class Value>
constexpr std::size_t lanes = vector_bytes / sizeof(Value);
template <class Value>
using Mask = decltype(Lanes<Value>() == Lanes<Value>());

template <class Value>
constexpr Value largest = std::numeric_limits<Value>::max();

// The type that sums the lanes of a piece: float64 for reals; 8-byte integers are summed in two
// halves.
template <class Value>
using Summed = std::conditional_t<std::is_floating_point_v<Value>, double, std::int64_t>;

template <class Value>
struct LaneSums {
  // Of 4 bytes: the first and second half of the lanes. Of 8: the values, or their low and high
  // halves.
  Lanes<Summed<Value>> first{};
  Lanes<Summed<Value>> second{};

  TSCATTER_INLINE void add(const Lanes<Value>& values) {
    using Wide = Lanes<Summed<Value>>;
    if constexpr (sizeof(Value) == 4) {
      first += __builtin_convertvector(__builtin_shufflevector(values, values, 0, 1, 2, 3), Wide);
      second += __builtin_convertvector(__builtin_shufflevector(values, values, 4, 5, 6, 7), Wide);
    } else if constexpr (std::is_integral_v<Value>) {
      first += __builtin_convertvector(values & Value{0xFFFFFFFF}, Wide);
      second += __builtin_convertvector(values >> 32, Wide);
    } else {
      first += values;
    }
  }

  TSCATTER_INLINE SumOf<Value> total() const {
    constexpr bool is_in_halves = sizeof(Value) == 8 && std::is_integral_v<Value>;
    constexpr std::int64_t weight = is_in_halves ? std::int64_t{1} << 32 : 1;
    SumOf<Value> sum{};
    for (std::size_t i = 0; i < lanes<Summed<Value>>; ++i)
      sum += SumOf<Value>{second[i]} * static_cast<SumOf<Value>>(weight) + SumOf<Value>{first[i]};
    return sum;
  }
};

// All moments except the counts of values that are not finite. REQUIRES: a whole number of lanes.
template <class Value>
TSCATTER_INLINE Moments<Value> finite_moments_loop(std::span<const Value> values) {
  Moments<Value> moments;
  Lanes<Value> min = moments.min - Lanes<Value>{};
  Lanes<Value> max = moments.max - Lanes<Value>{};
  LaneSums<Value> sums;
  Mask<Value> zeros{};
  Mask<Value> finite{};
  for (std::size_t i = 0; i < values.size(); i += lanes<Value>) {
    Lanes<Value> value;
    std::memcpy(&value, values.data() + i, sizeof(value));
    Mask<Value> counts = ~Mask<Value>{};
    if constexpr (std::is_floating_point_v<Value>)
      counts = (value <= largest<Value>)&(value >= -largest<Value>);
    sums.add(counts ? value : Lanes<Value>{});
    const Lanes<Value> low = counts ? value : min;
    const Lanes<Value> high = counts ? value : max;
    min = low < min ? low : min;
    max = high > max ? high : max;
    zeros -= value == Value{0};
    finite -= counts;
  }
  for (std::size_t lane = 0; lane < lanes<Value>; ++lane) {
    moments.min = std::min<Value>(moments.min, min[lane]);
    moments.max = std::max<Value>(moments.max, max[lane]);
    moments.zeros += zeros[lane];
    moments.finite += finite[lane];
  }
  moments.sum = sums.total();
  return moments;
}

template <class Value>
TSCATTER_AVX2 Moments<Value> finite_moments_avx2(std::span<const Value> values) {
  return finite_moments_loop(values);
}

template <class Value>
Moments<Value> finite_moments(std::span<const Value> values) {
  return takes_avx2() ? finite_moments_avx2(values) : finite_moments_loop(values);
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
  const auto whole = values.first(values.size() / lanes<Value> * lanes<Value>);
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

// How many values are at or above each edge. REQUIRES: at most a piece.
using Reached = std::array<std::int32_t, most_bins>;

template <class Value>
TSCATTER_INLINE Reached reached_loop(std::span<const Value> values,
                                     const std::array<Value, most_bins>& first) {
  Reached reached{};
  for (std::size_t k = 0; k < most_bins; ++k) {
    const Value edge = first[k];
    std::int32_t count = 0;
    for (const Value value : values) count += value >= edge ? 1 : 0;
    reached[k] = count;
  }
  return reached;
}

template <class Value>
TSCATTER_AVX2 Reached reached_avx2(std::span<const Value> values,
                                   const std::array<Value, most_bins>& first) {
  return reached_loop(values, first);
}

// Each edge is a tenth further from min to max, if that is a different value.
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
  // Modulo 2^64, in which the range fits; + promotes a signed char to a number.
  const auto first = static_cast<std::uint64_t>(+min);
  const std::uint64_t range = static_cast<std::uint64_t>(+max) - first;
  const std::uint64_t width = range / most_bins + 1;
  edges.bins = static_cast<std::size_t>(range / width) + 1;
  for (std::size_t k = 0; k < edges.bins; ++k)
    edges.first[k] = static_cast<Value>(first + width * k);
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
  constexpr std::size_t cached = 4096;  // they stay in the first cache from edge to edge
  for (std::size_t begin = 0; begin < values.size(); begin += cached) {
    const auto part = values.subspan(begin, std::min(cached, values.size() - begin));
    const Reached reached =
        takes_avx2() ? reached_avx2(part, edges.first) : reached_loop(part, edges.first);
    for (std::size_t k = 0; k < edges.bins; ++k) counts[k] += reached[k];
  }
}

#define TSCATTER_EDGES(Value) template BinEdges<Value> bin_edges(const Moments<Value>& moments);
#define TSCATTER_LOOPS(Value)                                                                 \
  TSCATTER_EDGES(Value)                                                                       \
  template Moments<Value> moments_of(std::span<const Value> values);                          \
  template void count_from_edges(std::span<const Value> values, const BinEdges<Value>& edges, \
                                 BinCounts& counts);
TSCATTER_EDGES(std::int8_t)
TSCATTER_EDGES(std::uint8_t)
TSCATTER_EDGES(std::int16_t)
TSCATTER_EDGES(std::uint16_t)
TSCATTER_LOOPS(std::int32_t)
TSCATTER_LOOPS(std::uint32_t)
TSCATTER_LOOPS(std::int64_t)
TSCATTER_LOOPS(std::uint64_t)
TSCATTER_LOOPS(float)
TSCATTER_LOOPS(double)
#undef TSCATTER_EDGES
#undef TSCATTER_LOOPS

}  // namespace tscatter
