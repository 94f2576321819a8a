// Sums of products that are added unrounded: their bound, which knows the rounded products only.
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
  FusedSum(Random& random, std::size_t writers)
      : alpha_{device::ordinary<T>(random)}, factors_{device::hostile_terms<T>(random, writers)} {
    // Products of numbers near the greatest one would be infinite.
    for (double& each : factors_) each = rounded<T>(each / 8);
    terms_ = {factors_[0]};
    for (std::size_t k = 1; k < factors_.size(); ++k)
      terms_.push_back(rounded<T>(exact(alpha_) * exact(factors_[k])));
  }

  const Terms& terms() const { return terms_; }

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

}  // namespace

TEST_CASE("orders: no order of unrounded products is called wrong where they are legal",
          "[orders]") {
  INFO("seed " << device::seed());
  Random random(device::seed());
  for_each_real_dtype([&]<class T> {
    int wrong = 0;
    for (std::size_t i = 0; i < (property::is_slowed ? 2000 : 8000); ++i) {
      const FusedSum<T> sum(random, 1 + i % 9);
      const double actual = sum.result(device::order_of_writers(random, 1 + i % 9));
      if (!std::isfinite(actual)) continue;
      INFO(device::text_of(sum.terms(), actual));
      CHECK(device::verdict_of<T>(Reduction::sum, sum.terms(), actual, fused).element_class !=
            ElementClass::wrong);
      const auto own = device::verdict_of<T>(Reduction::sum, sum.terms(), actual);
      wrong += own.element_class == ElementClass::wrong ? 1 : 0;
    }
    CHECK(wrong > 100);  // what the flag is for
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
