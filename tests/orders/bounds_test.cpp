// The bounds of decision 41 a second time, in __float128 and one element at a time.
#include <cmath>

#include "catch.hpp"
#include "orders/elements.hpp"

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

// The dtype's value near `value`, and its neighbours.
template <class T>
double ulp_at(double value) {
  const auto range = device::range_of<T>();
  const int exponent = value == 0 ? range.least_exponent : std::ilogb(value);
  return std::ldexp(1.0, std::max(exponent, range.least_exponent) - range.digits + 1);
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
      const double actual = device::rounded<T>(edge + steps * ulp_at<T>(edge));
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

}  // namespace tscatter
