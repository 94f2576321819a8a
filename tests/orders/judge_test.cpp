#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <numeric>
#include <set>

#include "catch.hpp"
#include "oracle/arithmetic.hpp"
#include "orders/elements.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/orders/element_judge.hpp"

namespace tscatter {
namespace {

using device::Elements;
using device::for_each_real_dtype;
using device::Random;
using device::seed;
using device::Step;
using device::step_of;
using device::Terms;
using device::text_of;
using device::verdict_of;
using orders::ElementClass;
using orders::ElementJudge;

std::size_t random_writers(Random& random) {
  const std::int64_t kind = random.between(0, 999);
  if (kind < 600) return static_cast<std::size_t>(random.between(2, 4));
  if (kind < 900) return static_cast<std::size_t>(random.between(5, 8));
  if (kind < 930) return static_cast<std::size_t>(random.between(9, 12));
  if (kind < 990) return static_cast<std::size_t>(random.between(13, 40));
  if (kind < 998) return static_cast<std::size_t>(random.between(41, 400));
  return static_cast<std::size_t>(random.between(1000, 10000));
}

template <class T>
Terms terms_for(Random& random, Reduction reduction, std::size_t writers) {
  return reduction == Reduction::prod ? device::hostile_factors<T>(random, writers)
                                      : device::hostile_terms<T>(random, writers);
}

struct Tally {
  std::int64_t elements = 0;
  std::map<ElementClass, std::int64_t> classes;
  double largest_share = 0;
};

template <class T>
void expect_legal(Random& random, Reduction reduction, Tally& tally,
                  const orders::JudgeOptions& options) {
  const bool flushes = options.subnormals == orders::Subnormals::flushed;
  device::flushes_results = flushes && random.chance(75);
  const bool flushes_terms = flushes && random.chance(75);
  const std::size_t writers = random_writers(random);
  const std::size_t columns = writers > 400 ? 4 : 64;
  Elements<T> elements(writers, columns);
  std::vector<Terms> terms;
  std::vector<double> actual;
  for (std::size_t c = 0; c < columns; ++c) {
    terms.push_back(terms_for<T>(random, reduction, writers));
    Terms read = terms[c];
    for (double& term : read) term = flushes_terms ? device::flushed<T>(term) : term;
    actual.push_back(device::some_result<T>(random, step_of(reduction), read));
    elements.set(c, reduction, terms[c], actual[c]);
  }
  device::flushes_results = false;
  ElementJudge<T> judge(reduction, options);
  const auto verdicts = elements.verdicts(judge);
  for (std::size_t c = 0; c < columns; ++c) {
    ++tally.elements;
    ++tally.classes[verdicts[c].element_class];
    tally.largest_share = std::max(tally.largest_share, verdicts[c].share);
    if (verdicts[c].element_class != ElementClass::wrong) continue;
    INFO("writers " << writers << ", share " << verdicts[c].share << ": "
                    << text_of(terms[c], actual[c]));
    CHECK(verdicts[c].element_class != ElementClass::wrong);
  }
}

template <class T>
void expect_all_legal(Reduction reduction, std::int64_t elements,
                      const orders::JudgeOptions& options = {}) {
  const std::uint64_t used = seed();
  INFO("seed " << used << ", dtype " << info(device::dtype_of<T>()).name << ", reduction "
               << to_string(reduction));
  Random random(used + static_cast<std::uint64_t>(reduction));
  Tally tally;
  while (tally.elements < elements) expect_legal<T>(random, reduction, tally, options);
  if (std::getenv("TSCATTER_REPORT") == nullptr) return;
  std::cout << info(device::dtype_of<T>()).name << " " << to_string(reduction) << " "
            << tally.elements << " elements";
  for (const auto& [element_class, count] : tally.classes) {
    std::cout << ", " << orders::to_string(element_class) << " " << count;
  }
  std::cout << ", largest share " << tally.largest_share << std::endl;
}

// A sum that some device leaves, divided by the number of values, or by its root.
template <class T>
void expect_legal_means(Random& random, Reduction reduction, orders::Subnormals subnormals) {
  const std::size_t writers = random_writers(random);
  const std::size_t columns = writers > 400 ? 4 : 64;
  const auto divisor = static_cast<std::int64_t>(writers + random.bits() % 2);
  Elements<T> elements(writers, columns);
  std::vector<Terms> terms;
  device::flushes_results = subnormals == orders::Subnormals::flushed;
  for (std::size_t c = 0; c < columns; ++c) {
    terms.push_back(device::hostile_terms<T>(random, writers));
    T mean = device::element<T>(device::some_result<T>(random, Step::add, terms[c]));
    oracle::divide(ElementType::of(device::dtype_of<T>()), reduction,
                   reinterpret_cast<std::byte*>(&mean), divisor);
    const double left = device::left<T>(static_cast<double>(mean));
    elements.set(c, reduction, terms[c], left);
  }
  device::flushes_results = false;
  orders::TermRows<T> rows = elements.rows();
  rows.divisor = divisor;
  ElementJudge<T> judge(reduction, {.subnormals = subnormals});
  std::vector<orders::ElementVerdict> verdicts(columns);
  judge.judge(rows, verdicts);
  for (std::size_t c = 0; c < columns; ++c) {
    if (verdicts[c].element_class != ElementClass::wrong) continue;
    INFO("writers " << writers << ", divisor " << divisor << ", share " << verdicts[c].share << ": "
                    << text_of(terms[c], static_cast<double>(rows.actual[c])));
    CHECK(verdicts[c].element_class != ElementClass::wrong);
  }
}

// The value `steps` representable values away.
template <class T>
double moved(double value, std::int64_t steps) {
  const oracle::RealFormat format = oracle::format_of(device::dtype_of<T>());
  const std::uint64_t pattern = oracle::encoded(format, value);
  const auto magnitude = static_cast<std::int64_t>(pattern & ~format.sign());
  const std::int64_t place = ((pattern & format.sign()) != 0 ? -magnitude : magnitude) + steps;
  const auto moved_magnitude = static_cast<std::uint64_t>(place < 0 ? -place : place);
  if (moved_magnitude >= format.infinity()) return place < 0 ? -HUGE_VAL : HUGE_VAL;
  return oracle::decoded(format, moved_magnitude | (place < 0 ? format.sign() : 0));
}

using Patterns = std::vector<std::uint64_t>;

std::uint64_t pattern_of(double value) { return std::bit_cast<std::uint64_t>(value); }

// Brute force: the results of all permutations.
template <class T>
Patterns all_results(Step step, const Terms& terms) {
  std::vector<std::size_t> order(terms.size() - 1);
  std::iota(order.begin(), order.end(), std::size_t{1});
  Patterns results;
  do {
    results.push_back(pattern_of(device::in_one_accumulator<T>(step, terms, order)));
  } while (std::next_permutation(order.begin(), order.end()));
  std::sort(results.begin(), results.end());
  results.erase(std::unique(results.begin(), results.end()), results.end());
  return results;
}

// An independent search for more writers: a forward depth-first search that remembers the values
// seen for each set of updates.
template <class T>
class Remembering {
 public:
  Remembering(Step step, const Terms& terms)
      : step_(step), terms_(terms), seen_(std::size_t{1} << (terms.size() - 1)) {
    visit(0, terms[0]);
  }
  bool has(double value) const { return seen_.back().contains(pattern_of(value)); }
  std::size_t count() const { return seen_.back().size(); }

 private:
  void visit(std::size_t applied, double value) {
    if (!seen_[applied].insert(pattern_of(value)).second) return;
    for (std::size_t k = 0; k + 1 < terms_.size(); ++k) {
      const std::size_t next = applied | (std::size_t{1} << k);
      if (next != applied) visit(next, device::combined<T>(step_, value, terms_[k + 1]));
    }
  }

  Step step_;
  const Terms& terms_;
  std::vector<std::set<std::uint64_t>> seen_;
};

bool is_of_an_order(ElementClass element_class) {
  return element_class == ElementClass::in_order || element_class == ElementClass::reordered;
}

template <class T, class Has>
void expect_exact(Reduction reduction, const Terms& terms, double centre, const Has& has) {
  for (std::int64_t steps = -4; steps <= 4; ++steps) {
    const double actual = moved<T>(centre, steps);
    if (!std::isfinite(actual) || actual == 0) continue;
    const auto verdict = verdict_of<T>(reduction, terms, actual);
    INFO("steps " << steps << ": " << text_of(terms, actual));
    CHECK(is_of_an_order(verdict.element_class) == has(actual));
  }
}

template <class T>
void expect_exact_by_permutations(Random& random, Reduction reduction, std::size_t writers) {
  const Terms terms = terms_for<T>(random, reduction, writers);
  const Patterns results = all_results<T>(step_of(reduction), terms);
  const auto centre = std::bit_cast<double>(results[results.size() / 2]);
  if (!std::isfinite(centre)) return;
  expect_exact<T>(reduction, terms, centre, [&](double actual) {
    return std::binary_search(results.begin(), results.end(), pattern_of(actual));
  });
}

template <class T>
void expect_exact_by_memory(Random& random, Reduction reduction, std::size_t writers,
                            int exponent) {
  Terms terms(writers + 1);
  for (double& term : terms) term = std::ldexp(device::ordinary<T>(random), exponent);
  const Remembering<T> memory(step_of(reduction), terms);
  const double centre = device::in_one_accumulator<T>(step_of(reduction), terms,
                                                      device::order_of_writers(random, writers));
  expect_exact<T>(reduction, terms, centre, [&](double actual) { return memory.has(actual); });
}

// Several columns, some of them an ulp off the result of an order.
template <class T>
void expect_as_alone(Random& random, Reduction reduction, std::size_t writers) {
  constexpr std::size_t columns = 61;
  Elements<T> elements(writers, columns);
  std::vector<Terms> terms;
  std::vector<double> actual;
  for (std::size_t c = 0; c < columns; ++c) {
    terms.push_back(terms_for<T>(random, reduction, writers));
    const double result = device::some_result<T>(random, step_of(reduction), terms[c]);
    const bool may_move = std::isfinite(result) && result != 0;
    actual.push_back(may_move ? moved<T>(result, random.between(-1, 1)) : result);
    elements.set(c, reduction, terms[c], actual[c]);
  }
  ElementJudge<T> judge(reduction, {});
  const auto verdicts = elements.verdicts(judge);
  for (std::size_t c = 0; c < columns; ++c) {
    INFO("column " << c << ": " << text_of(terms[c], actual[c]));
    CHECK(verdicts[c].element_class == verdict_of<T>(reduction, terms[c], actual[c]).element_class);
  }
}

// Some columns in order, the others as some device leaves them.
template <class T>
Elements<T> mixed_elements(Random& random, Reduction reduction, std::size_t writers,
                           std::vector<T>& in_order) {
  const auto columns = static_cast<std::size_t>(random.between(1, 1100));
  Elements<T> elements(writers, columns);
  const bool may_be_special = random.chance(5);
  for (std::size_t c = 0; c < columns; ++c) {
    Terms terms = terms_for<T>(random, reduction, writers);
    if (may_be_special && random.chance(5)) terms.back() = random.chance(50) ? HUGE_VAL : NAN;
    std::vector<std::size_t> order(writers);
    std::iota(order.begin(), order.end(), std::size_t{1});
    const double first = device::in_one_accumulator<T>(step_of(reduction), terms, order);
    in_order.push_back(device::element<T>(first));
    const bool is_kept = random.chance(30);
    elements.set(c, reduction, terms,
                 is_kept ? first : device::some_result<T>(random, step_of(reduction), terms));
  }
  return elements;
}

// Columns that are only counted are reordered ones; the others have the verdicts of a list.
template <class T>
void expect_counted_as_listed(Random& random, Reduction reduction, std::size_t writers) {
  std::vector<T> in_order;
  const Elements<T> elements = mixed_elements<T>(random, reduction, writers, in_order);
  orders::TermRows<T> rows = elements.rows();
  rows.in_order = in_order;
  ElementJudge<T> lists(reduction, {});
  std::vector<orders::ElementVerdict> listed(rows.columns());
  CHECK(lists.judge(rows, listed) == 0);
  ElementJudge<T> counts(reduction, {});
  std::vector<orders::ElementVerdict> verdicts(rows.columns());
  std::int64_t reordered = counts.judge(rows, verdicts, orders::Reordered::counted);
  std::size_t next = 0;
  const auto differing = counts.differing();
  for (std::size_t c = 0; c < rows.columns(); ++c) {
    INFO(writers << " writers, column " << c << " of " << rows.columns());
    const bool is_listed = next < differing.size() && differing[next] == c;
    if (is_listed) {
      ++next;
      CHECK(verdicts[c].element_class == listed[c].element_class);
      CHECK(verdicts[c].deviation == listed[c].deviation);
      CHECK((verdicts[c].share == listed[c].share || listed[c].share != listed[c].share));
    } else if (listed[c].element_class == ElementClass::reordered) {
      --reordered;
    } else {
      CHECK(listed[c].element_class == ElementClass::in_order);
    }
  }
  CHECK(next == differing.size());
  CHECK(reordered == 0);
}

// Walks outwards from the sum: once values stop being legal, none is legal again.
template <class T>
void expect_edge(Random& random, Reduction reduction, std::size_t writers) {
  const Terms terms = terms_for<T>(random, reduction, writers);
  const double centre = device::in_wider<T, device::Quad>(
      step_of(reduction), terms, device::order_of_writers(random, writers));
  if (!std::isfinite(centre) || centre == 0) return;
  for (const std::int64_t direction : {-1, 1}) {
    bool was_wrong = false;
    for (std::int64_t steps = 0; steps < 40; ++steps) {
      const double actual = moved<T>(centre, direction * steps);
      if (!std::isfinite(actual) || actual == 0) break;
      const auto verdict = verdict_of<T>(reduction, terms, actual);
      const bool is_wrong = verdict.element_class == ElementClass::wrong;
      INFO("steps " << steps << ", share " << verdict.share << ": " << text_of(terms, actual));
      CHECK_FALSE((was_wrong && !is_wrong));
      CHECK(is_wrong == (verdict.share > 1));
      was_wrong = is_wrong;
    }
  }
}

}  // namespace

TEST_CASE("orders: no result of any order, tree or wider accumulator is called wrong", "[orders]") {
  const int results = property::is_slowed ? 21000 : 84000;
  for (const Reduction reduction : {Reduction::sum, Reduction::sub, Reduction::prod}) {
    expect_all_legal<Half>(reduction, results);
    expect_all_legal<BFloat16>(reduction, results);
    expect_all_legal<float>(reduction, results);
    expect_all_legal<double>(reduction, results);
  }
}

TEST_CASE("orders: no result of a device that flushes subnormals is called wrong", "[orders]") {
  const int results = property::is_slowed ? 7000 : 28000;
  const orders::JudgeOptions flushed{.subnormals = orders::Subnormals::flushed};
  for (const Reduction reduction : {Reduction::sum, Reduction::sub, Reduction::prod}) {
    expect_all_legal<Half>(reduction, results, flushed);
    expect_all_legal<BFloat16>(reduction, results, flushed);
    expect_all_legal<float>(reduction, results, flushed);
    expect_all_legal<double>(reduction, results, flushed);
  }
}

TEST_CASE("orders: where no partial sum is subnormal, flushing changes no verdict", "[orders]") {
  for_each_real_dtype([]<class T> {
    Random random(seed());
    const double normal_min = std::ldexp(1.0, device::range_of<T>().least_exponent);
    for (int i = 0; i < 4000; ++i) {
      Terms terms(random_writers(random) % 40 + 2);
      const double unit = random.chance(50) ? 1 : normal_min;
      for (double& term : terms) term = static_cast<double>(random.between(-8, 8)) * unit;
      const double sum = std::accumulate(terms.begin(), terms.end(), 0.0);
      for (const double actual : {sum, -sum, moved<T>(sum, 1), sum - terms[1], sum + unit}) {
        INFO(text_of(terms, actual));
        const auto verdict = verdict_of<T>(Reduction::sum, terms, actual);
        const auto flushed = verdict_of<T>(Reduction::sum, terms, actual,
                                           {.subnormals = orders::Subnormals::flushed});
        CHECK(flushed.element_class == verdict.element_class);
      }
    }
  });
}

TEST_CASE(
    "orders: a mean or sqrt_n of a sum of any order, tree or wider accumulator is not called wrong",
    "[orders]") {
  INFO("seed " << seed());
  Random random(seed());
  for_each_real_dtype([&]<class T> {
    for (const auto subnormals : {orders::Subnormals::kept, orders::Subnormals::flushed}) {
      for (int i = 0; i < 300; ++i) {
        expect_legal_means<T>(random, Reduction::mean, subnormals);
        expect_legal_means<T>(random, Reduction::sqrt_n, subnormals);
      }
    }
  });
}

TEST_CASE("orders: what orders leave is decided as all permutations decide it", "[orders]") {
  INFO("seed " << seed());
  Random random(seed());
  for_each_real_dtype([&]<class T> {
    for (const Reduction reduction : {Reduction::sum, Reduction::sub, Reduction::prod}) {
      for (std::size_t i = 0; i < 60; ++i)
        expect_exact_by_permutations<T>(random, reduction, 2 + i % 5);
      for (int i = 0; i < 2; ++i) expect_exact_by_permutations<T>(random, reduction, 7);
    }
  });
}

TEST_CASE("orders: what orders of up to 12 leave is decided as another search decides it",
          "[orders]") {
  INFO("seed " << seed());
  Random random(seed());
  for_each_real_dtype([&]<class T> {
    for (const Reduction reduction : {Reduction::sum, Reduction::prod}) {
      for (std::size_t writers = 8; writers <= 12; ++writers) {
        expect_exact_by_memory<T>(random, reduction, writers, 0);
      }
    }
  });
  for (std::size_t writers = 8; writers <= 12; ++writers) {
    for (int i = 0; i < 3; ++i)
      expect_exact_by_memory<double>(random, Reduction::sum, writers, 1000);
  }
}

TEST_CASE("orders: columns side by side are judged as each of them alone", "[orders]") {
  INFO("seed " << seed());
  Random random(seed());
  for_each_real_dtype([&]<class T> {
    for (const Reduction reduction : {Reduction::sum, Reduction::sub, Reduction::prod}) {
      for (std::size_t writers = 1; writers <= 9; ++writers) {
        for (int i = 0; i < 8; ++i) expect_as_alone<T>(random, reduction, writers);
      }
    }
  });
}

TEST_CASE("orders: reordered columns are counted as they are listed", "[orders]") {
  INFO("seed " << seed());
  Random random(seed());
  for_each_real_dtype([&]<class T> {
    for (const Reduction reduction : {Reduction::sum, Reduction::sub, Reduction::prod}) {
      for (std::size_t writers = 1; writers <= 14; ++writers) {
        for (int i = 0; i < (writers > 6 ? 1 : 4); ++i)
          expect_counted_as_listed<T>(random, reduction, writers);
      }
    }
  });
}

TEST_CASE("orders: past its bound an element is wrong, however far", "[orders]") {
  INFO("seed " << seed());
  Random random(seed());
  for_each_real_dtype([&]<class T> {
    for (const Reduction reduction : {Reduction::sum, Reduction::sub, Reduction::prod}) {
      for (std::size_t i = 0; i < (property::is_slowed ? 36 : 150); ++i)
        expect_edge<T>(random, reduction, 1 + i % 6);
      for (int i = 0; i < (property::is_slowed ? 3 : 10); ++i)
        expect_edge<T>(random, reduction, 20);
    }
  });
}

}  // namespace tscatter
