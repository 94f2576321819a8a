#include "tscatter/statistics/statistics.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <list>
#include <mutex>
#include <type_traits>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/statistics/moments.hpp"

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

  // Calls make_worker() once for each worker, and its result with the number of a task and
  // consecutive elements of it, front to back.
  template <class T, class MakeWorker>
  void for_each_piece(const MakeWorker& make_worker) const {
    const auto tasks_signed = static_cast<std::int64_t>(tasks());
    const CountedBytes counted{options_.progress, tensor_.byte_size()};
    for_each_task(tasks_signed, workers_, options_.stop, counted, [&] {
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

template <class T>
Moments<T> read_moments(const Reader& reader) {
  std::vector<Moments<T>> by_task(reader.tasks());
  reader.for_each_piece<T>([&] {
    return [&](std::size_t task, std::span<const T> elements) {
      by_task[task].merge(moments_of(elements));
    };
  });
  Moments<T> all;
  for (const Moments<T>& each : by_task) all.merge(each);
  return all;
}

template <class T>
BinCounts read_counts_from_edges(const Reader& reader, const BinEdges<T>& edges) {
  BinCounts all{};
  std::mutex mutex;
  reader.for_each_piece<T>([&] {
    return [&](std::size_t, std::span<const T> elements) {
      BinCounts counts{};
      count_from_edges(elements, edges, counts);
      const std::scoped_lock lock(mutex);
      for (std::size_t k = 0; k < most_bins; ++k) all[k] += counts[k];
    };
  });
  return all;
}

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;

// How often each bit pattern occurs. Several tables take turns, so that equal neighbours do not
// wait for each other.
template <class T>
class PatternCounts {
 public:
  static constexpr std::size_t patterns = std::size_t{1} << (8 * sizeof(T));
  static constexpr std::size_t tables = sizeof(T) == 1 ? 4 : 2;

  PatternCounts() : narrow_(patterns * tables), wide_(patterns) {}

  void add(std::span<const T> elements) {
    constexpr std::int64_t most = std::int64_t{1} << 31;
    for (std::size_t i = 0; i < elements.size(); ++i)
      ++narrow_[pattern(elements[i]) * tables + i % tables];
    narrow_sum_ += static_cast<std::int64_t>(elements.size());
    if (narrow_sum_ > most) widen();
  }

  void widen() {
    for (std::size_t i = 0; i < narrow_.size(); ++i) wide_[i / tables] += narrow_[i];
    std::ranges::fill(narrow_, 0U);
    narrow_sum_ = 0;
  }

  std::int64_t of(std::size_t pattern) const { return wide_[pattern]; }

 private:
  static std::size_t pattern(T element) { return std::bit_cast<BitsOf<T>>(element); }

  std::vector<std::uint32_t> narrow_;
  std::vector<std::int64_t> wide_;
  std::int64_t narrow_sum_ = 0;
};

struct Counted {
  std::size_t pattern;
  std::int64_t count;
};

template <class T>
std::vector<Counted> read_patterns(const Reader& reader) {
  std::list<PatternCounts<T>> by_worker;
  std::mutex mutex;
  reader.for_each_piece<T>([&] {
    const std::scoped_lock lock(mutex);
    return [&counts = by_worker.emplace_back()](std::size_t, std::span<const T> elements) {
      counts.add(elements);
    };
  });
  for (PatternCounts<T>& counts : by_worker) counts.widen();
  std::vector<Counted> all;
  for (std::size_t pattern = 0; pattern < PatternCounts<T>::patterns; ++pattern) {
    std::int64_t count = 0;
    for (const PatternCounts<T>& counts : by_worker) count += counts.of(pattern);
    if (count > 0) all.push_back({.pattern = pattern, .count = count});
  }
  return all;
}

template <class T>
T element_of(std::size_t pattern) {
  return std::bit_cast<T>(static_cast<BitsOf<T>>(pattern));
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

// From counts of the values.
template <class T>
Statistics counted_statistics(const std::vector<std::pair<T, std::int64_t>>& counted) {
  Moments<ValueOf<T>> moments;
  for (const auto& [element, count] : counted) moments.add(value_of(element), count);
  Statistics statistics = statistics_of<T>(moments);
  if (moments.finite == 0 || std::is_same_v<T, Bool>) return statistics;
  const auto edges = edges_of<T>(moments);
  BinCounts reached{};
  for (const auto& [element, count] : counted) {
    for (std::size_t k = 0; k < edges.bins; ++k)
      reached[k] += value_of(element) >= edges.first[k] ? count : 0;
  }
  set_histogram<T>(statistics, moments, edges, reached);
  return statistics;
}

template <class T>
Statistics narrow_statistics(const Reader& reader) {
  std::vector<std::pair<T, std::int64_t>> counted;
  for (const Counted& each : read_patterns<T>(reader))
    counted.emplace_back(element_of<T>(each.pattern), each.count);
  return counted_statistics(counted);
}

template <class T>
Statistics wide_statistics(const Reader& reader) {
  const Moments<T> moments = read_moments<T>(reader);
  Statistics statistics = statistics_of<T>(moments);
  if (moments.finite == 0) return statistics;
  const auto edges = bin_edges(moments);
  set_histogram<T>(statistics, moments, edges, read_counts_from_edges(reader, edges));
  return statistics;
}

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

template <class Part>
Statistics read_complex_statistics(const Reader& reader) {
  using Element = std::complex<Part>;
  std::vector<ComplexMoments<Part>> by_task(reader.tasks());
  reader.for_each_piece<Element>([&] {
    return [&](std::size_t task, std::span<const Element> elements) {
      for (const Element element : elements) by_task[task].add(element, 1);
    };
  });
  ComplexMoments<Part> all;
  for (const auto& each : by_task) all.merge(each);
  return complex_statistics(all);
}

template <class T>
Statistics repeated_statistics(std::span<const std::byte> element, std::int64_t count) {
  T value;
  std::memcpy(&value, element.data(), sizeof(T));
  if constexpr (is_complex_v<T>) {
    ComplexMoments<typename T::value_type> moments;
    if (count > 0) moments.add(value, count);
    return complex_statistics(moments);
  } else {
    if (count == 0) return {};
    return counted_statistics<T>({{value, count}});
  }
}

}  // namespace

Statistics statistics(const Tensor& tensor, const StatisticsOptions& options) {
  const Reader reader(tensor, options);
  return visit_dtype(tensor.type().dtype, [&]<class T>() -> Statistics {
    const auto repeated = tensor.source().repeated();
    if (repeated && tensor.type().is_native()) {
      return repeated_statistics<T>(*repeated, tensor.count());
    }
    if constexpr (is_complex_v<T>) {
      return read_complex_statistics<typename T::value_type>(reader);
    } else if constexpr (sizeof(T) <= 2) {
      return narrow_statistics<T>(reader);
    } else {
      return wide_statistics<T>(reader);
    }
  });
}

}  // namespace tscatter
