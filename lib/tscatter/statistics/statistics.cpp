#include "tscatter/statistics/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <type_traits>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/int128.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/core/visit_dtype.hpp"

namespace tscatter {
namespace {

// The sizes of a worker's task, and of one read. Sums are merged by task, so that they do not
// depend on the workers.
constexpr std::int64_t task_bytes = std::int64_t{4} << 20;
constexpr std::int64_t read_bytes = std::int64_t{256} << 10;
constexpr int most_workers = 32;  // more have nothing to read faster, and take memory

// The type in which elements of a dtype are compared and summed.
template <class T>
struct Compared {
  using Value = T;
};
template <>
struct Compared<Bool> {
  using Value = std::uint8_t;
};
template <>
struct Compared<Half> {
  using Value = float;
};
template <>
struct Compared<BFloat16> {
  using Value = float;
};
template <class T>
using ValueOf = typename Compared<T>::Value;

template <class T>
ValueOf<T> value_of(T element) {
  if constexpr (std::is_same_v<T, Bool>) {
    return static_cast<std::uint8_t>(element) == 0 ? 0 : 1;
  } else {
    return static_cast<ValueOf<T>>(element);
  }
}

template <class T>
ElementBytes bytes_of(ValueOf<T> value) {
  const auto element = static_cast<T>(value);
  ElementBytes bytes(sizeof(T));
  std::memcpy(bytes.data(), &element, sizeof(T));
  return bytes;
}

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

constexpr std::size_t most_bins = 10;

// The lower edges of a histogram's bins. Only the first `bins` are used.
template <class Value>
struct BinEdges {
  std::array<Value, most_bins> first{};
  std::size_t bins = 0;
};

using BinCounts = std::array<std::int64_t, most_bins>;

// Reads the tensor's elements in native order, a task at a time.
class Reader {
 public:
  Reader(const Tensor& tensor, const StatisticsOptions& options)
      : tensor_{tensor},
        options_{options},
        workers_{std::min(worker_count(options.threads), most_workers)} {}

  std::size_t tasks() const {
    return static_cast<std::size_t>((tensor_.byte_size() + task_bytes - 1) / task_bytes);
  }

  // Calls make_worker() once for each worker. Then calls what it returned with the number of a task
  // and consecutive elements of the task, front to back.
  template <class T, class MakeWorker>
  void for_each_piece(const MakeWorker& make_worker) const {
    const auto tasks_signed = static_cast<std::int64_t>(tasks());
    const Parallelism parallelism{
        .threads = workers_, .stop = options_.stop, .progress = options_.progress};
    for_each_task(tasks_signed, parallelism, tensor_.byte_size(), [&] {
      return [&, worker = make_worker(),
              buffer = std::vector<T>(read_bytes / sizeof(T))](std::int64_t task) mutable {
        const std::int64_t end = std::min((task + 1) * task_bytes, tensor_.byte_size());
        for (std::int64_t at = task * task_bytes; at < end; at += read_bytes) {
          const auto size = static_cast<std::size_t>(std::min(read_bytes, end - at));
          const auto elements = std::span(buffer).first(size / sizeof(T));
          const auto bytes = std::as_writable_bytes(elements);
          tensor_.source().read(at, bytes);
          turn_elements(bytes, tensor_.type());
          worker(static_cast<std::size_t>(task), std::span<const T>(elements));
        }
      };
    });
  }

 private:
  const Tensor& tensor_;
  StatisticsOptions options_;
  int workers_;
};

// The parts of complex values, and the counts of whole ones.
template <class Part>
struct ComplexMoments {
  Moments<Part> real;
  Moments<Part> imaginary;
  std::int64_t nan = 0;
  std::int64_t infinite = 0;
  std::int64_t zeros = 0;

  void add(std::complex<Part> value, std::int64_t count) {
    real.add(value.real(), count);
    imaginary.add(value.imag(), count);
    if (std::isnan(value.real()) || std::isnan(value.imag())) nan += count;
    if (std::isinf(value.real()) || std::isinf(value.imag())) infinite += count;
    if (value == std::complex<Part>()) zeros += count;
  }

  void merge(const ComplexMoments& other) {
    real.merge(other.real);
    imaginary.merge(other.imaginary);
    nan += other.nan;
    infinite += other.infinite;
    zeros += other.zeros;
  }
};

template <class T>
struct MomentsOf {
  using Type = Moments<ValueOf<T>>;
};
template <class Part>
struct MomentsOf<std::complex<Part>> {
  using Type = ComplexMoments<Part>;
};

template <class T>
typename MomentsOf<T>::Type read_moments(const Reader& reader) {
  std::vector<typename MomentsOf<T>::Type> by_task(reader.tasks());
  reader.for_each_piece<T>([&] {
    return [&](std::size_t task, std::span<const T> elements) {
      for (const T element : elements) by_task[task].add(value_of(element), 1);
    };
  });
  typename MomentsOf<T>::Type all;
  for (const auto& each : by_task) all.merge(each);
  return all;
}

// Of `count` times the same element.
template <class T>
typename MomentsOf<T>::Type repeated_moments(std::span<const std::byte> element,
                                             std::int64_t count) {
  T value;
  std::memcpy(&value, element.data(), sizeof(T));
  typename MomentsOf<T>::Type moments;
  if (count > 0) moments.add(value_of(value), count);
  return moments;
}

// How many values are at or above each edge.
template <class T>
BinCounts read_counts_from_edges(const Reader& reader, const BinEdges<ValueOf<T>>& edges) {
  BinCounts all{};
  std::mutex mutex;
  reader.for_each_piece<T>([&] {
    return [&](std::size_t, std::span<const T> elements) {
      BinCounts counts{};
      for (const T element : elements) {
        const ValueOf<T> value = value_of(element);
        for (std::size_t k = 0; k < most_bins; ++k) counts[k] += value >= edges.first[k] ? 1 : 0;
      }
      const std::scoped_lock lock(mutex);
      for (std::size_t k = 0; k < most_bins; ++k) all[k] += counts[k];
    };
  });
  return all;
}

template <class T, class Value>
void set_range(Statistics& statistics, const Moments<Value>& moments) {
  constexpr Value infinity = std::numeric_limits<Value>::infinity();
  if (moments.finite + moments.positive_infinity + moments.negative_infinity == 0) return;
  const bool has_finite = moments.finite > 0;
  const Value least = has_finite ? moments.min : infinity;
  const Value most = has_finite ? moments.max : static_cast<Value>(-infinity);
  statistics.min =
      bytes_of<T>(moments.negative_infinity > 0 ? static_cast<Value>(-infinity) : least);
  statistics.max = bytes_of<T>(moments.positive_infinity > 0 ? infinity : most);
}

template <class Value>
std::optional<double> mean_of(const Moments<Value>& moments) {
  if (moments.finite == 0) return std::nullopt;
  const auto mean = static_cast<double>(static_cast<long double>(moments.sum) /
                                        static_cast<long double>(moments.finite));
  // Rounding must not take the mean out of the range.
  return std::clamp(mean, static_cast<double>(moments.min), static_cast<double>(moments.max));
}

template <class T, class Value>
Statistics statistics_of(const Moments<Value>& moments) {
  Statistics statistics;
  statistics.nan = moments.nan;
  statistics.infinite = moments.positive_infinity + moments.negative_infinity;
  statistics.zeros = moments.zeros;
  set_range<T>(statistics, moments);
  statistics.mean = mean_of(moments);
  return statistics;
}

// `reached`: how many values are at or above each edge, infinities included.
template <class T, class Value>
void set_histogram(Statistics& statistics, const Moments<Value>& moments,
                   const BinEdges<Value>& edges, BinCounts reached) {
  for (std::size_t k = 0; k < edges.bins; ++k) {
    const bool is_last = k + 1 == edges.bins;
    const std::int64_t beyond = is_last ? moments.positive_infinity : reached[k + 1];
    Value last = is_last ? moments.max : edges.first[k + 1];
    if (std::is_integral_v<Value> && !is_last) last = static_cast<Value>(last - 1);
    statistics.histogram.push_back({.first = bytes_of<T>(edges.first[k]),
                                    .last = bytes_of<T>(last),
                                    .count = reached[k] - beyond});
  }
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

// REQUIRES: moments.finite > 0.
template <class Value>
BinEdges<Value> bin_edges(const Moments<Value>& moments) {
  if constexpr (std::is_integral_v<Value>) {
    return integer_edges(moments.min, moments.max);
  } else {
    return real_edges(moments.min, moments.max);
  }
}

// The edges as values of T, which has fewer than Value.
template <class T, class Value>
BinEdges<Value> edges_of(const Moments<Value>& moments) {
  const BinEdges<Value> wide = bin_edges(moments);
  if constexpr (std::is_integral_v<Value>) return wide;
  BinEdges<Value> edges;
  for (std::size_t k = 0; k < wide.bins; ++k) {
    const Value edge = value_of(static_cast<T>(wide.first[k]));
    if (k == 0 || edge > edges.first[edges.bins - 1]) edges.first[edges.bins++] = edge;
  }
  return edges;
}

// read_counts(edges): how many values are at or above each edge.
template <class T, class ReadCounts>
Statistics real_statistics(const Moments<ValueOf<T>>& moments, const ReadCounts& read_counts) {
  Statistics statistics = statistics_of<T>(moments);
  if (moments.finite == 0 || std::is_same_v<T, Bool>) return statistics;
  const auto edges = edges_of<T>(moments);
  set_histogram<T>(statistics, moments, edges, read_counts(edges));
  return statistics;
}

std::optional<ElementBytes> joined(std::optional<ElementBytes> real,
                                   const std::optional<ElementBytes>& imaginary) {
  if (!real || !imaginary) return std::nullopt;
  real->insert(real->end(), imaginary->begin(), imaginary->end());
  return real;
}

template <class Part>
Statistics complex_statistics(const ComplexMoments<Part>& moments) {
  const auto real = statistics_of<Part>(moments.real);
  const auto imaginary = statistics_of<Part>(moments.imaginary);
  Statistics statistics;
  statistics.nan = moments.nan;
  statistics.infinite = moments.infinite;
  statistics.zeros = moments.zeros;
  statistics.min = joined(real.min, imaginary.min);
  statistics.max = joined(real.max, imaginary.max);
  if (real.mean && imaginary.mean)
    statistics.mean = std::complex(real.mean->real(), imaginary.mean->real());
  return statistics;
}

}  // namespace

Statistics statistics(const Tensor& tensor, const StatisticsOptions& options) {
  const Reader reader(tensor, options);
  return visit_dtype(tensor.type().dtype, [&]<class T>() -> Statistics {
    const auto repeated = tensor.type().is_native() ? tensor.source().repeated() : std::nullopt;
    const std::int64_t count = tensor.count();
    const auto moments = repeated ? repeated_moments<T>(*repeated, count) : read_moments<T>(reader);
    if constexpr (is_complex_v<T>) {
      return complex_statistics(moments);
    } else {
      return real_statistics<T>(moments, [&](const auto& edges) {
        return repeated ? BinCounts{count} : read_counts_from_edges<T>(reader, edges);
      });
    }
  });
}

}  // namespace tscatter
