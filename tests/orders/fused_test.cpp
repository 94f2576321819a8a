// Sums of products that are added unrounded: their bound, which knows the rounded products only,
// unless these are infinite.
#include <cmath>

#include "catch.hpp"
#include "orders/elements.hpp"

namespace tscatter {
namespace {

using device::Exact;
using device::for_each_real_dtype;
using device::Random;
using device::rounded;
using device::Terms;
using orders::ElementClass;
using orders::Products;

constexpr orders::JudgeOptions fused{.products = Products::fused};

// data and alpha * updates: the products as a device rounds them, and what a device leaves that
// does not.
template <class T>
class FusedSum {
 public:
  FusedSum(double alpha, Terms factors) : alpha_{alpha}, factors_{std::move(factors)} {
    terms_ = {factors_[0]};
    for (std::size_t k = 1; k < factors_.size(); ++k)
      terms_.push_back(rounded<T>(exact(alpha_) * exact(factors_[k])));
  }

  // No product is infinite.
  static FusedSum of_finite(Random& random, std::size_t writers) {
    const double alpha = device::ordinary<T>(random);
    Terms factors = device::hostile_terms<T>(random, writers);
    for (double& each : factors) each = rounded<T>(each / 8);
    return {alpha, std::move(factors)};
  }
  // Most products are infinite once they are rounded.
  static FusedSum of_huge(Random& random, std::size_t writers) {
    Terms factors(writers + 1);
    for (double& each : factors) each = device::huge<T>(random);
    return {rounded<T>(device::either_sign(random, 1 + 8 * device::unit_interval(random))),
            std::move(factors)};
  }

  const Terms& terms() const { return terms_; }

  device::ElementVerdict verdict(double actual) const {
    device::Elements<T> elements(terms_.size() - 1, 1);
    elements.set(0, Reduction::sum, terms_, actual);
    elements.set_factors(0, factors_);
    orders::ElementJudge<T> judge(Reduction::sum, {.products = Products::fused, .alpha = alpha_});
    return elements.verdicts(judge)[0];
  }

  // Each addition is rounded, no product is.
  double result(const std::vector<std::size_t>& order) const {
    double value = factors_[0];
    for (const std::size_t k : order)
      value = rounded<T>(exact(value) + exact(alpha_) * exact(factors_[k]));
    return value;
  }

 private:
  static Exact<T> exact(double value) { return static_cast<Exact<T>>(value); }

  double alpha_;
  Terms factors_;
  Terms terms_;
};

std::size_t rounds() { return property::is_slowed ? 2000 : 8000; }

}  // namespace

TEST_CASE("orders: no order of unrounded products is called wrong where they are legal",
          "[orders]") {
  INFO("seed " << device::seed());
  Random random(device::seed());
  for_each_real_dtype([&]<class T> {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < rounds(); ++i) {
      const auto sum = FusedSum<T>::of_finite(random, 1 + i % 9);
      const double actual = sum.result(device::order_of_writers(random, 1 + i % 9));
      if (!std::isfinite(actual)) continue;
      INFO(device::text_of(sum.terms(), actual));
      CHECK(device::verdict_of<T>(Reduction::sum, sum.terms(), actual, fused).element_class !=
            ElementClass::wrong);
      const auto own = device::verdict_of<T>(Reduction::sum, sum.terms(), actual);
      wrong += own.element_class == ElementClass::wrong ? 1 : 0;
    }
    CHECK(wrong > rounds() / 80);  // what the flag is for
  });
}

TEST_CASE("orders: what unrounded products leave is legal where rounded ones are infinite",
          "[orders]") {
  INFO("seed " << device::seed());
  Random random(device::seed());
  for_each_real_dtype([&]<class T> {
    const double ulp = std::ldexp(1.0, 1 + device::range_of<T>().greatest_exponent -
                                           device::range_of<T>().digits);  // of the greatest number
    std::size_t finite = 0;
    for (std::size_t i = 0; i < rounds(); ++i) {
      const std::size_t writers = 1 + i % 9;
      const auto sum = FusedSum<T>::of_huge(random, writers);
      const double actual = sum.result(device::order_of_writers(random, writers));
      INFO(device::text_of(sum.terms(), actual));
      CHECK(sum.verdict(actual).element_class != ElementClass::wrong);
      if (!std::isfinite(actual)) continue;
      const auto own = device::verdict_of<T>(Reduction::sum, sum.terms(), actual);
      if (own.element_class != ElementClass::wrong) continue;
      ++finite;
      const double other = rounded<T>(actual + (2 * static_cast<double>(writers) + 2) * ulp *
                                                   (random.chance(50) ? 1 : -1));
      if (std::isfinite(other)) CHECK(sum.verdict(other).element_class == ElementClass::wrong);
    }
    CHECK(finite > rounds() / 80);
  });
}

TEST_CASE("orders: unrounded products move a sum by an ulp of each and no more", "[orders]") {
  for_each_real_dtype([]<class T> {
    const double ulp = std::ldexp(1.0, 1 - device::range_of<T>().digits);
    const auto class_of = [](const Terms& terms, double actual,
                             const orders::JudgeOptions& options) {
      return device::verdict_of<T>(Reduction::sum, terms, actual, options).element_class;
    };
    // What is left where data cancels the rounded product is at most its rounding.
    CHECK(class_of({-1, 1}, ulp / 4, fused) == ElementClass::rounded);
    CHECK(class_of({-1, 1}, ulp / 4, {}) == ElementClass::wrong);
    CHECK(class_of({-1, 1}, 2 * ulp, fused) == ElementClass::wrong);
    CHECK(class_of({1, 1}, 2 + 2 * ulp, fused) == ElementClass::rounded);
    CHECK(class_of({1, 1}, 2 + 6 * ulp, fused) == ElementClass::wrong);
    CHECK(class_of({1, 1, 1, 1}, 4 + 32 * ulp, fused) == ElementClass::wrong);
    CHECK(class_of({1, 1}, NAN, fused) == ElementClass::wrong);
    CHECK(class_of({1, HUGE_VAL}, HUGE_VAL, fused) == ElementClass::in_order);
    CHECK(class_of({1, HUGE_VAL}, 5, fused) == ElementClass::wrong);
  });
}

}  // namespace tscatter
