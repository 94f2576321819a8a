// The bounds of decision 41 a second time, in __float128 and one element at a time;
// and the cheap bound of sums that need no care.
#include <cmath>

#include "catch.hpp"
#include "orders/elements.hpp"
#include "tscatter/orders/sum_bounds.hpp"

namespace tscatter {
namespace {

using device::for_each_real_dtype;
using device::Quad;
using device::Random;
using device::Terms;
using orders::ElementClass;

Quad magnitude(Quad value) { return value < 0 ? -value : value; }
Quad power(int exponent) { return static_cast<Quad>(std::ldexp(1.0L, exponent)); }

// 2^floor(log2 value)
Quad floor_power(Quad value) {
  int exponent = std::ilogb(static_cast<double>(value));
  if (power(exponent) > value) --exponent;
  return power(exponent);
}

template <class T>
class Bounds {
 public:
  explicit Bounds(const Terms& terms) : terms_(terms) {
    for (std::size_t k = 0; k < terms.size(); ++k) add(static_cast<Quad>(terms[k]), k == 0);
  }

  Quad sum() const { return sum_; }

  Quad largest(int wide_digits) const {
    const Quad wide = tree(wide_digits, 1);
    const Quad near = last_rounding(magnitude(sum_) + wide);
    const Quad wider = wide + std::min(near, updates_ + wide);
    return std::max({one_accumulator(), wider, tree(digits, mixture) * mixture});
  }

 private:
  static constexpr int digits = device::range_of<T>().digits;

  void add(Quad x, bool is_data) {
    sum_ += x;
    (x > 0 ? positive_ : negative_) += magnitude(x);
    if (!is_data) updates_ += magnitude(x);
    if (x == 0) return;
    Quad bit = floor_power(magnitude(x));
    for (Quad rest = magnitude(x) - bit; rest > 0; rest -= bit) bit = floor_power(rest);
    grid_ = grid_ == 0 ? bit : std::min(grid_, bit);
  }

  // Half an ulp just below `value`.
  Quad half_ulp(Quad value, int precision) const {
    if (value <= power(device::range_of<T>().least_exponent + 1)) return 0;
    const Quad below = floor_power(value) == value ? value / 2 : floor_power(value);
    const Quad half = below * power(-precision);
    return half < grid_ ? 0 : half;
  }

  // The largest error of rounding a number up to `value`: none is farther from the power of two
  // below than `value`.
  Quad last_rounding(Quad value) const {
    const Quad most = half_ulp(value, digits);
    const Quad below = floor_power(value);
    const Quad near = std::max(below * power(-digits - 1), std::min(most, value - below));
    return most == 0 || near < grid_ ? 0 : near;
  }

  Quad one_accumulator() const {
    Quad error = 0;
    for (;;) {
      const Quad half = half_ulp(std::max(positive_, negative_) + error, digits);
      Quad next = 0;
      for (std::size_t k = 1; k < terms_.size(); ++k) {
        next += std::min(magnitude(static_cast<Quad>(terms_[k])), half);
      }
      if (next == error) return error;
      error = next;
    }
  }

  Quad tree(int precision, Quad factor) const {
    const auto n = static_cast<Quad>(terms_.size() - 1);
    const Quad most = n * power(-precision) * (positive_ + negative_);
    const Quad largest_sum = std::max(positive_, negative_);
    Quad error = 0;
    while (error < most) {
      const Quad next = n * half_ulp(largest_sum + error * factor, precision);
      if (next == error) return error;
      error = next;
    }
    return most;
  }

  const Quad mixture = 1 + power(-9);
  const Terms& terms_;
  Quad sum_ = 0;
  Quad positive_ = 0;
  Quad negative_ = 0;
  Quad updates_ = 0;
  Quad grid_ = 0;
};

template <class T>
constexpr int wide_digits() {
  if (HalfWidth<T>) return 24;
  return std::is_same_v<T, float> ? 53 : 64;
}

template <class T>
Terms moderate_terms(Random& random, std::size_t writers) {
  Terms terms(writers + 1);
  const std::int64_t flavour = random.between(0, 4);
  for (double& term : terms) {
    switch (flavour) {
      case 0: term = device::ordinary<T>(random); break;
      case 1: term = device::near_power<T>(random, 2); break;
      case 2: term = device::swamped<T>(random); break;
      case 3: term = std::fabs(device::ordinary<T>(random)); break;
      default: term = device::rounded<T>(device::ordinary<T>(random) / 64);
    }
  }
  if (flavour == 4) terms[0] = random.chance(50) ? 1 : -1;
  return terms;
}

template <class T>
std::int64_t expect_bound(Random& random, std::size_t writers) {
  const Terms terms = moderate_terms<T>(random, writers);
  const Bounds<T> bounds(terms);
  const Quad largest = bounds.largest(wide_digits<T>());
  std::int64_t judged = 0;
  for (const int side : {-1, 1}) {
    const double edge = device::rounded<T>(bounds.sum() + side * largest);
    for (int steps = -3; steps <= 3; ++steps) {
      const double actual = device::rounded<T>(edge + steps * device::ulp_of<T>(edge));
      const Quad distance = magnitude(static_cast<Quad>(actual) - bounds.sum());
      const bool is_close = magnitude(distance - largest) <= largest * power(-36);
      if (actual == 0 || !std::isfinite(actual) || (is_close && largest > 0)) continue;
      const auto verdict = device::verdict_of<T>(Reduction::sum, terms, actual);
      INFO(info(device::dtype_of<T>()).name
           << ", writers " << writers << ", share " << verdict.share << ", expected "
           << static_cast<double>(distance / largest) << ": " << device::text_of(terms, actual));
      CHECK((verdict.element_class == ElementClass::wrong) == (distance > largest));
      ++judged;
    }
  }
  return judged;
}

}  // namespace

TEST_CASE("orders: an ulp past the bound is wrong, an ulp within it is legal", "[orders]") {
  INFO("seed " << device::seed());
  Random random(device::seed());
  for_each_real_dtype([&]<class T> {
    const auto bounds = static_cast<std::int64_t>(
        property::extent("TSCATTER_BOUNDS", {.whole = 4000, .sample = 1000, .slowed = 1000}));
    std::int64_t judged = 0;
    for (std::int64_t i = 0; i < bounds; ++i) {
      judged += expect_bound<T>(random, static_cast<std::size_t>(random.between(2, 9)));
    }
    for (std::int64_t i = 0; i < bounds / 40; ++i) judged += expect_bound<T>(random, 100);
    CHECK(judged > 5 * bounds);
  });
}

namespace {

using device::Random;
using device::seed;
using device::Step;
using device::Terms;
using orders::Lane;

struct PlainTally {
  std::int64_t columns = 0;
  std::int64_t plain = 0;
};

template <class T>
Terms ordinary_terms(Random& random, std::size_t writers) {
  Terms terms(writers + 1);
  for (double& term : terms) term = device::ordinary<T>(random);
  if (random.chance(10)) terms[0] = 0;
  return terms;
}

// What is called legal cheaply has the same share of the largest bound, and is within that of one
// accumulator.
template <class T>
void expect_as_bounds(Random& random, std::size_t writers, PlainTally& tally) {
  constexpr std::size_t columns = 37;
  device::Elements<T> elements(writers, columns);
  const bool is_ordinary = random.chance(50);
  std::vector<Terms> terms;
  for (std::size_t c = 0; c < columns; ++c) {
    terms.push_back(is_ordinary ? ordinary_terms<T>(random, writers)
                                : device::hostile_terms<T>(random, writers));
    elements.set(c, Reduction::sum, terms[c], device::some_result<T>(random, Step::add, terms[c]));
  }
  std::vector<std::uint32_t> places(columns);
  for (std::size_t c = 0; c < columns; ++c) places[c] = static_cast<std::uint32_t>(c);
  orders::TermBlock<T> block;
  const auto as_it_is = [](Lane<T> x) { return x; };
  block.gather(elements.rows(), places, as_it_is, as_it_is);
  orders::PlainSums<T> plain;
  plain.calculate(block);
  orders::SumBounds<T> bounds;
  bounds.calculate(block, orders::Subnormals::kept);
  for (std::size_t j = 0; j < columns; ++j) {
    tally.columns += is_ordinary ? 1 : 0;
    if (!plain.is_legal(j)) continue;
    tally.plain += is_ordinary ? 1 : 0;
    INFO("writers " << writers << ": "
                    << device::text_of(terms[j], static_cast<double>(block.target()[j])));
    const double bound =
        std::max({bounds.one_accumulator(j), bounds.wider_accumulator(j), bounds.tree(j)});
    CHECK(bounds.distance(j) <= bounds.one_accumulator(j));
    CHECK(plain.share(j) == bounds.distance(j) / bound);
  }
}

template <class T>
PlainTally expect_all_as_bounds() {
  INFO("seed " << seed() << ", dtype " << info(device::dtype_of<T>()).name);
  Random random(seed());
  PlainTally tally;
  for (std::size_t i = 0; i < 1500; ++i) expect_as_bounds<T>(random, 2 + i % 19, tally);
  return tally;
}

}  // namespace

TEST_CASE("orders: sums that need no care have the share that the bounds give them", "[orders]") {
  const PlainTally tally = expect_all_as_bounds<float>();
  CHECK(tally.plain > tally.columns / 2);
  expect_all_as_bounds<Half>();
  expect_all_as_bounds<BFloat16>();
}

}  // namespace tscatter
