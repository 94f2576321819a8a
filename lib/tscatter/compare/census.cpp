#include "tscatter/compare/census.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <list>
#include <mutex>
#include <string_view>

#include "tscatter/compare/element_math.hpp"
#include "tscatter/compare/pair_judge.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/memory.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/io/formats/npy/opaque_words.hpp"

namespace tscatter {
namespace {

void check_options(const Census& census, const CompareOptions& options) {
  check(options.tolerance);
  // compare.c3
  if (options.worst < 0 || options.worst > most_worst) {
    fail(ErrorKind::usage, "compare.c3", "compare", "worst must be from 0 to {}, got {}",
         most_worst, options.worst);
  }
  const bool is_opaque = census.has_same_dtype() && census.actual.type.dtype == DType::opaque;
  // compare.c2
  if (is_opaque && !options.tolerance.is_exact()) {
    fail(ErrorKind::usage, "compare.c2", "compare",
         "opaque elements must be compared without rtol, atol and max_ulp, got dtype {}",
         to_string(census.actual.type));
  }
}

template <class T>
void measure(const Tolerance& tolerance, ElementDifference& difference) {
  T actual;
  T expected;
  std::memcpy(&actual, difference.actual.data(), sizeof(T));
  std::memcpy(&expected, difference.expected.data(), sizeof(T));
  difference.is_beyond = !element_math::is_within(actual, expected, tolerance);
  if (!element_math::is_finite(actual) || !element_math::is_finite(expected)) return;
  const auto absolute = element_math::absolute_error(actual, expected);
  difference.absolute = Distance{.value = static_cast<double>(absolute)};
  if constexpr (std::is_integral_v<T>)
    difference.absolute->integer = static_cast<std::uint64_t>(absolute);
  difference.relative =
      element_math::relative_error(difference.absolute->value, element_math::scale(expected));
  difference.ulp = element_math::ulp_error(actual, expected);
}

// Combines what the workers found.
class Summary {
 public:
  Summary(Census& census, const Numbering& numbering, const CompareOptions& options)
      : census_{census}, numbering_{numbering}, options_{options} {}

  void write(const Tally& tally) {
    census_.differing = tally.differing;
    census_.beyond = tally.beyond;
    census_.nan_in_actual = tally.nan_in_actual;
    census_.nan_in_expected = tally.nan_in_expected;
    census_.nan_in_both = tally.nan_in_both;
    census_.infinite = tally.infinite;
    write_errors(tally);
    for (const RankedPair& each : tally.sorted_worst())
      census_.worst.push_back(difference(each.pair));
    if (!census_.worst.empty()) census_.worst_element = census_.worst.front();
    census_.worst.resize(std::min(census_.worst.size(), static_cast<std::size_t>(options_.worst)));
  }

 private:
  void write_errors(const Tally& tally) {
    if (tally.differing == 0) return;
    census_.largest_absolute = largest(tally.absolute);
    census_.largest_relative = largest(tally.relative);
    census_.largest_ulp = largest(tally.ulp);
    census_.zero_errors = tally.decades[DecadeCounts::zero_slot];
    census_.overflown_errors = tally.decades[DecadeCounts::overflow_slot];
    for (std::size_t slot = DecadeCounts::zero_slot + 1; slot < DecadeCounts::overflow_slot;
         ++slot) {
      if (tally.decades[slot] == 0) continue;
      census_.decades.push_back(
          {.exponent = DecadeCounts::exponent_of(slot), .count = tally.decades[slot]});
    }
  }

  std::optional<ElementDifference> largest(const Extreme& extreme) const {
    if (!extreme.is_set) return std::nullopt;
    return difference(extreme.pair);
  }

  ElementDifference difference(const ElementPair& pair) const {
    const ElementType& type = census_.actual.type;
    const std::size_t kept = std::min(type.size, ElementPair::most_bytes);
    ElementDifference difference{.index = numbering_.row_major(pair.number),
                                 .position = numbering_.position(pair.number),
                                 .actual = {pair.actual.begin(), pair.actual.begin() + kept},
                                 .expected = {pair.expected.begin(), pair.expected.begin() + kept}};
    if (type.dtype == DType::opaque) return difference;
    visit_dtype(type.dtype, [&]<class T>() { measure<T>(census_.tolerance, difference); });
    return difference;
  }

  Census& census_;
  const Numbering& numbering_;
  const CompareOptions& options_;
};

// At least one: the worst element is always kept.
std::int64_t most_kept(const CompareOptions& options) {
  return std::max<std::int64_t>(options.worst, 1);
}

// So many that their memory stays within the documented limit.
int most_threads(const PairWalk& walk, const CompareOptions& options) {
  constexpr std::int64_t counts_bytes = std::int64_t{5} << 18U;
  constexpr std::int64_t worst_bytes = 128;
  std::int64_t bytes = walk.worker_bytes + counts_bytes + options.worst * worst_bytes;
  if (options.grid) {
    bytes +=
        options.grid->rows * options.grid->columns * static_cast<std::int64_t>(sizeof(GridCell));
  }
  return workers_within(compare_memory, bytes);
}

// Starting a worker costs about 100 us, so each must have several pieces to do.
int useful_threads(const PairWalk& walk, int threads) {
  constexpr std::int64_t tasks_per_worker = 2;
  return static_cast<int>(std::clamp<std::int64_t>(walk.tasks / tasks_per_worker, 1, threads));
}

void take_census(const Tensor& actual, const Tensor& expected, const CompareOptions& options,
                 Census& census) {
  const PairWalk walk = pair_walk(actual, expected);
  const Numbering numbering = numbering_of(actual, expected);
  PlaceCounts places(numbering);
  std::list<PairJudge> judges;  // one of each worker
  std::mutex mutex;
  const int threads = std::min(worker_count(options.threads), most_threads(walk, options));
  const Parallelism parallelism{
      .threads = useful_threads(walk, threads), .stop = options.stop, .progress = options.progress};
  const std::int64_t bytes = actual.byte_size() + expected.byte_size();
  for_each_task(walk.tasks, parallelism, bytes, [&] {
    PairJudge* judge = nullptr;
    {
      const std::scoped_lock lock(mutex);
      judge = &judges.emplace_back(actual.header(), numbering, options, places);
    }
    return [judge, reader = walk.make_reader()](std::int64_t task) { reader->run(task, *judge); };
  });

  Tally total(numbering, most_kept(options));
  for (PairJudge& judge : judges) {
    judge.finish();
    total.merge(judge.tally());
    if (!options.grid) continue;
    if (census.grid) {
      census.grid->merge(*judge.grid());
    } else {
      census.grid = judge.grid();
    }
  }
  Summary(census, numbering, options).write(total);
  if (census.beyond > 0) census.place = places.place(census.beyond);
}

}  // namespace

bool Census::has_same_dtype() const {
  return is_same_but_for_byte_order(actual.type, expected.type);
}

Census compare(const Tensor& actual, const Tensor& expected, const CompareOptions& options) {
  Census census{
      .actual = actual.header(), .expected = expected.header(), .tolerance = options.tolerance};
  check_options(census, options);
  if (!census.has_same_dtype() || !census.has_same_shape()) return census;
  census.elements = actual.count();
  for (const Tensor* tensor : {&actual, &expected})
    tensor->source().check_content({.threads = options.threads, .stop = options.stop});
  if (census.elements > 0) take_census(actual, expected, options, census);
  return census;
}

namespace {

constexpr std::array tolerance_rule_rows{
    Rule{"compare.c1", "rtol and atol are finite and not negative"},
    Rule{"compare.c2", "opaque elements are compared without rtol, atol and max_ulp"},
    Rule{"compare.c3", "the number of worst elements is from 0 to 10000"},
};

void check_bound(std::string_view name, const std::optional<double>& bound) {
  // compare.c1
  if (bound && !(std::isfinite(*bound) && *bound >= 0)) {
    fail(ErrorKind::usage, "compare.c1", "compare", "{} must be a finite number >= 0, got {}", name,
         *bound);
  }
}

}  // namespace

const std::span<const Rule> compare_rules = tolerance_rule_rows;

void check(const Tolerance& tolerance) {
  check_bound("rtol", tolerance.rtol);
  check_bound("atol", tolerance.atol);
}

}  // namespace tscatter
