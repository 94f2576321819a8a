#include <cmath>
#include <cstring>
#include <limits>

#include "catch.hpp"
#include "orders/elements.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/orders/dependence_judge.hpp"
#include "tscatter/orders/find_order.hpp"

namespace tscatter {
namespace {

using device::Elements;
using device::for_each_real_dtype;
using device::Random;
using device::Terms;
using device::verdict_of;
using orders::Deviation;
using orders::ElementClass;
using orders::ElementJudge;
using orders::ElementVerdict;
using orders::NanPolicy;
using orders::Subnormals;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
double most() {
  const auto range = device::range_of<T>();
  return std::ldexp(2 - std::ldexp(1.0, 1 - range.digits), range.greatest_exponent);
}
template <class T>
double least() {
  const auto range = device::range_of<T>();
  return std::ldexp(1.0, range.least_exponent - range.digits + 1);
}

template <class T>
ElementClass class_of(Reduction reduction, const Terms& terms, double actual) {
  return verdict_of<T>(reduction, terms, actual).element_class;
}

template <class T>
ElementVerdict integer_verdict(Reduction reduction, T data, const std::vector<T>& updates,
                               T actual) {
  Elements<T> elements(updates.size(), 1);
  elements.place(0, data, updates, actual);
  ElementJudge<T> judge(reduction, {});
  return elements.verdicts(judge)[0];
}

}  // namespace

TEST_CASE("orders: one addition or multiplication has one legal value", "[orders]") {
  for_each_real_dtype([]<class T> {
    const double ulp = std::ldexp(1.0, 1 - device::range_of<T>().digits);
    CHECK(class_of<T>(Reduction::sum, {1, ulp / 4}, 1) == ElementClass::in_order);
    CHECK(class_of<T>(Reduction::sum, {1, ulp / 4}, 1 + ulp) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::sum, {1, ulp / 4}, 1 - ulp / 2) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::prod, {1.5, 1 + ulp}, 1.5 + ulp * 2) == ElementClass::in_order);
    CHECK(class_of<T>(Reduction::prod, {1.5, 1 + ulp}, 1.5 + ulp * 3) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::sum, {most<T>(), most<T>()}, most<T>()) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::sum, {most<T>(), 1}, inf) == ElementClass::wrong);
  });
}

TEST_CASE("orders: a tie of float64 may be rounded twice, and nothing else", "[orders]") {
  const double half_ulp = 0x1p-53;
  const double above_tie = half_ulp * (1 + 0x1p-40);
  CHECK(class_of<double>(Reduction::sum, {1, above_tie}, 1 + 0x1p-52) == ElementClass::in_order);
  CHECK(class_of<double>(Reduction::sum, {1, above_tie}, 1) == ElementClass::rounded);
  const double far_above_tie = half_ulp * (1 + 0x1p-9);
  CHECK(class_of<double>(Reduction::sum, {1, far_above_tie}, 1) == ElementClass::wrong);
  CHECK(class_of<float>(Reduction::sum, {1, 0x1.00002p-24}, 1) == ElementClass::wrong);
}

// Rounding up takes the accumulator to 2048, where half an ulp is 1 and no longer 0.5: the order is
// found only if the bound has been iterated to its end.
TEST_CASE("orders: errors that pass a power of two are allowed for", "[orders]") {
  const double one = 1 + 0x1p-10;
  const double half = 0.5 + 0x1p-11;
  const Terms terms{2040, one, one, one, half, half, half, half, half, half, half, half};
  CHECK(class_of<Half>(Reduction::sum, terms, 2054) == ElementClass::reordered);
}

TEST_CASE("orders: small integers have one sum", "[orders]") {
  for_each_real_dtype([]<class T> {
    const Terms terms{3, 1, -2, 7, 5, 5, 1, 8};
    const double ulp = std::ldexp(32.0, 1 - device::range_of<T>().digits);
    CHECK(class_of<T>(Reduction::sum, terms, 28) == ElementClass::in_order);
    CHECK(class_of<T>(Reduction::sum, terms, 28 + ulp / 2) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::sum, terms, 28 - ulp / 2) == ElementClass::wrong);
  });
}

TEST_CASE("orders: the sign of a zero sum is legal where a zero can have it", "[orders]") {
  for_each_real_dtype([]<class T> {
    CHECK(class_of<T>(Reduction::sum, {-0.0, -0.0, -0.0}, -0.0) == ElementClass::in_order);
    CHECK(class_of<T>(Reduction::sum, {-0.0, -0.0, -0.0}, 0.0) == ElementClass::rounded);
    CHECK(class_of<T>(Reduction::sum, {1, -1, 0.0}, -0.0) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::sum, {0.0, -0.0}, -0.0) == ElementClass::wrong);
    // data -0.0 minus (1 - 1); the terms here are negated updates.
    CHECK(class_of<T>(Reduction::sub, {-0.0, -1, 1}, -0.0) == ElementClass::rounded);
    CHECK(class_of<T>(Reduction::sub, {0.0, -1, 1}, -0.0) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::prod, {-0.0, 1, 1}, 0.0) == ElementClass::wrong);
  });
}

TEST_CASE("orders: an infinite sum needs a side that overflows", "[orders]") {
  for_each_real_dtype([]<class T> {
    const double m = most<T>();
    CHECK(class_of<T>(Reduction::sum, {m, m, -m}, inf) == ElementClass::in_order);
    CHECK(class_of<T>(Reduction::sum, {m, -m, m}, inf) == ElementClass::reordered);
    CHECK(class_of<T>(Reduction::sum, {m, -m, m}, -inf) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::sum, {m, -m, m, -m}, -inf) == ElementClass::rounded);
    CHECK(class_of<T>(Reduction::sum, {m, -m, m, -m}, nan) == ElementClass::rounded);
    CHECK(class_of<T>(Reduction::sum, {m, -m, m}, nan) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::sum, {m, 0, 0, 0}, inf) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::sum, {1, 1, 1}, inf) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::sum, {1, 1, 1}, nan) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::sum, {m, m, -m}, m) == ElementClass::reordered);
  });
}

TEST_CASE("orders: infinities and NaN among the terms of a sum", "[orders]") {
  for_each_real_dtype([]<class T> {
    const double m = most<T>();
    CHECK(class_of<T>(Reduction::sum, {1, inf, 1}, inf) == ElementClass::in_order);
    CHECK(class_of<T>(Reduction::sum, {1, inf, 1}, 2) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::sum, {1, inf, 1}, nan) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::sum, {1, inf, -inf}, nan) == ElementClass::in_order);
    CHECK(class_of<T>(Reduction::sum, {1, inf, -inf}, inf) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::sum, {-m, -m, inf}, nan) == ElementClass::in_order);
    CHECK(class_of<T>(Reduction::sum, {-m, -m, inf}, inf) == ElementClass::reordered);
    CHECK(class_of<T>(Reduction::sum, {-m, inf, -m}, nan) == ElementClass::reordered);
    CHECK(class_of<T>(Reduction::sum, {1, nan, 1}, 2) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::sum, {1, nan, 1}, nan) == ElementClass::in_order);
  });
}

TEST_CASE("orders: a NaN of other bits is rounded", "[orders]") {
  const auto quiet_with_sign = std::bit_cast<float>(0xFFC00001U);
  const auto verdict =
      integer_verdict<float>(Reduction::sum, 1, {quiet_with_sign, 2}, quiet_with_sign);
  CHECK(verdict.element_class == ElementClass::rounded);
  CHECK(verdict.deviation == Deviation::other_nan);
  CHECK(verdict.share == 0);
}

TEST_CASE("orders: products that leave the range", "[orders]") {
  for_each_real_dtype([]<class T> {
    const double m = most<T>();
    const double small = least<T>();
    CHECK(class_of<T>(Reduction::prod, {m, 0.5, 2}, inf) == ElementClass::reordered);
    CHECK(class_of<T>(Reduction::prod, {m, 0.5, 2}, -inf) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::prod, {m, 2, 0}, nan) == ElementClass::in_order);
    CHECK(class_of<T>(Reduction::prod, {m, 2, 0}, 0) == ElementClass::reordered);
    CHECK(class_of<T>(Reduction::prod, {m / 2, 1, 0}, nan) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::prod, {1, 2, 0}, inf) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::prod, {small, 4, 0.25}, small) == ElementClass::in_order);
    CHECK(class_of<T>(Reduction::prod, {small, 4, 0.25}, 0) == ElementClass::reordered);
    CHECK(class_of<T>(Reduction::prod, {1, 4, 0.25}, 0) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::prod, {small, 0.25, inf}, nan) == ElementClass::in_order);
    CHECK(class_of<T>(Reduction::prod, {small, 0.25, inf}, inf) == ElementClass::reordered);
    CHECK(class_of<T>(Reduction::prod, {1, inf, 1}, nan) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::prod, {0, inf, 1}, 0) == ElementClass::wrong);
  });
}

TEST_CASE("orders: subnormals are flushed only where that is asked for", "[orders]") {
  for_each_real_dtype([]<class T> {
    const double normal_min = std::ldexp(1.0, device::range_of<T>().least_exponent);
    const Terms terms{normal_min / 2, normal_min / 4, normal_min};
    const double flushed = normal_min;
    CHECK(class_of<T>(Reduction::sum, terms, flushed) == ElementClass::wrong);
    const auto verdict =
        verdict_of<T>(Reduction::sum, terms, flushed, {.subnormals = Subnormals::flushed});
    CHECK(verdict.element_class == ElementClass::rounded);
    CHECK(verdict.deviation == Deviation::flushed);
    CHECK(verdict_of<T>(Reduction::sum, terms, normal_min * 8, {.subnormals = Subnormals::flushed})
              .element_class == ElementClass::wrong);
    const Terms factors{normal_min / 2, 2, 2};
    CHECK(class_of<T>(Reduction::prod, factors, 0) == ElementClass::wrong);
    CHECK(
        verdict_of<T>(Reduction::prod, factors, 0, {.subnormals = Subnormals::flushed}).deviation ==
        Deviation::flushed);
    const Terms extremes{normal_min, normal_min / 2};
    CHECK(class_of<T>(Reduction::min, extremes, 0) == ElementClass::wrong);
    CHECK(
        verdict_of<T>(Reduction::min, extremes, 0, {.subnormals = Subnormals::flushed}).deviation ==
        Deviation::flushed);
  });
}

TEST_CASE("orders: min and max leave what some order of the text's loop leaves", "[orders]") {
  for_each_real_dtype([]<class T> {
    CHECK(class_of<T>(Reduction::min, {1, -0.0, 0.0}, 0.0) == ElementClass::reordered);
    CHECK(class_of<T>(Reduction::min, {0.0, -0.0, 0.0}, -0.0) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::max, {-1, -0.0, 0.0}, 0.0) == ElementClass::reordered);
    CHECK(class_of<T>(Reduction::max, {3, 2, 1}, 2) == ElementClass::wrong);
    CHECK(class_of<T>(Reduction::max, {nan, 2, 1}, nan) == ElementClass::in_order);
    CHECK(class_of<T>(Reduction::max, {1, nan, 2}, 2) == ElementClass::in_order);
  });
}

TEST_CASE("orders: a policy for NaN makes more legal and is named", "[orders]") {
  for_each_real_dtype([]<class T> {
    for (const NanPolicy policy :
         {NanPolicy::text, NanPolicy::propagate, NanPolicy::ignore, NanPolicy::any}) {
      const bool propagates = policy == NanPolicy::propagate || policy == NanPolicy::any;
      const bool ignores = policy == NanPolicy::ignore || policy == NanPolicy::any;
      const auto propagated = verdict_of<T>(Reduction::min, {1, nan, 2}, nan, {.nan = policy});
      CHECK(propagated.element_class == (propagates ? ElementClass::rounded : ElementClass::wrong));
      CHECK(propagated.deviation == Deviation::propagated_nan);
      const auto ignored = verdict_of<T>(Reduction::min, {nan, 3, 2}, 2, {.nan = policy});
      CHECK(ignored.element_class == (ignores ? ElementClass::rounded : ElementClass::wrong));
      CHECK(ignored.deviation == Deviation::ignored_nan);
      CHECK(verdict_of<T>(Reduction::min, {nan, 3, 2}, 3, {.nan = policy}).element_class ==
            ElementClass::wrong);
      CHECK(verdict_of<T>(Reduction::min, {1, 3, 2}, nan, {.nan = policy}).element_class ==
            ElementClass::wrong);
    }
  });
}

TEST_CASE("orders: where only an update is NaN, ignore adds nothing", "[orders]") {
  for_each_real_dtype([]<class T> {
    for (const Reduction reduction : {Reduction::min_ieee, Reduction::min_propagate}) {
      for (const NanPolicy policy : {NanPolicy::ignore, NanPolicy::any}) {
        const auto kept = verdict_of<T>(reduction, {1, nan, -1}, -1, {.nan = policy});
        CHECK(kept.element_class == ElementClass::wrong);
        CHECK(kept.deviation == Deviation::none);
        CHECK(verdict_of<T>(reduction, {nan, nan, -1}, -1, {.nan = policy}).element_class ==
              ElementClass::rounded);
      }
    }
  });
}

TEST_CASE("orders: integers and bools have one legal value", "[orders]") {
  CHECK(integer_verdict<std::int8_t>(Reduction::sum, 100, {100, 100}, 44).element_class ==
        ElementClass::in_order);
  CHECK(integer_verdict<std::int8_t>(Reduction::sum, 100, {100, 100}, 45).element_class ==
        ElementClass::wrong);
  CHECK(integer_verdict<std::uint64_t>(Reduction::max, 1, {5, 3}, 5).element_class ==
        ElementClass::in_order);
  CHECK(integer_verdict<Bool>(Reduction::sum, Bool{0}, {Bool{1}}, Bool{2}).element_class ==
        ElementClass::in_order);
  CHECK(integer_verdict<Bool>(Reduction::sum, Bool{0}, {Bool{1}}, Bool{0}).element_class ==
        ElementClass::wrong);
  CHECK(integer_verdict<std::int32_t>(Reduction::sum, 7, {}, 7).element_class ==
        ElementClass::untouched);
  CHECK(integer_verdict<float>(Reduction::sum, 7, {}, 8).element_class == ElementClass::wrong);
}

TEST_CASE("orders: an order is named that leaves the value, and dependence is decided",
          "[orders]") {
  Random random(device::seed());
  for (std::size_t writers = 2; writers <= 9; ++writers) {
    Terms terms(writers + 1);
    for (double& term : terms) term = device::ordinary<float>(random);
    const auto shuffled = device::order_of_writers(random, writers);
    const double actual = device::in_one_accumulator<float>(device::Step::add, terms, shuffled);
    Elements<float> elements(writers, 1);
    elements.set(0, Reduction::sum, terms, actual);
    auto order = orders::order_for<float>({Reduction::sum}, elements.rows(), 0);
    REQUIRE(order.has_value());
    for (std::size_t& k : *order) ++k;
    CHECK(device::in_one_accumulator<float>(device::Step::add, terms, *order) == actual);
  }
  const auto dependence = [](const Terms& terms) {
    orders::StoredTerms stored(static_cast<std::int64_t>(terms.size()) - 1, 1, sizeof(float));
    stored.set_columns(1);
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const auto term = static_cast<float>(terms[k]);
      std::memcpy(stored.row(static_cast<std::int64_t>(k)), &term, sizeof(term));
    }
    orders::OrderDependence result{};
    orders::DependenceJudge(ElementType::of(DType::float32), {Reduction::sum})
        .judge(stored, {&result, 1});
    return result;
  };
  CHECK(dependence({1, 2, 3}) == orders::OrderDependence::no);
  CHECK(dependence({1, 0x1p-24, -1}) == orders::OrderDependence::yes);
  CHECK(dependence(Terms(40, 3)) == orders::OrderDependence::no);
  CHECK(dependence({1, 0x1p-30, 0x1p-30, 0x1p-30, 0x1p-30, 0x1p-30}) ==
        orders::OrderDependence::no);
}

TEST_CASE("orders: the verdicts are the same with and without vector instructions", "[orders]") {
  if (!set_kernel_path(KernelPath::avx2)) return;
  for_each_real_dtype([]<class T> {
    Random random(device::seed());
    for (const std::size_t writers : {2U, 3U, 6U, 9U, 30U}) {
      Elements<T> elements(writers, 64);
      for (std::size_t c = 0; c < 64; ++c) {
        const Terms terms = device::hostile_terms<T>(random, writers);
        elements.set(c, Reduction::sum, terms,
                     device::some_result<T>(random, device::Step::add, terms));
      }
      set_kernel_path(KernelPath::avx2);
      ElementJudge<T> judge(Reduction::sum, {});
      const auto fast = elements.verdicts(judge);
      set_kernel_path(KernelPath::portable);
      ElementJudge<T> portable_judge(Reduction::sum, {});
      const auto portable = elements.verdicts(portable_judge);
      set_kernel_path(KernelPath::automatic);
      for (std::size_t c = 0; c < 64; ++c) {
        CHECK(fast[c].element_class == portable[c].element_class);
        CHECK(fast[c].deviation == portable[c].deviation);
        CHECK(fast[c].share == portable[c].share);
      }
    }
  });
}

}  // namespace tscatter
