// Complex elements: sums part by part, products by their modulus.
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "orders/elements.hpp"
#include "tscatter/orders/element_judge.hpp"

namespace tscatter {
namespace {

using device::Elements;
using device::Random;
using orders::ElementClass;
using orders::ElementJudge;
using orders::ElementVerdict;

template <class T>
ElementVerdict complex_verdict(Reduction reduction, std::complex<T> data,
                               const std::vector<std::complex<T>>& updates,
                               std::complex<T> actual) {
  Elements<std::complex<T>> elements(updates.size(), 1);
  elements.place(0, data, updates, actual);
  ElementJudge<std::complex<T>> judge(reduction, {});
  return elements.verdicts(judge)[0];
}

// One accumulator; the updates are counted from 1.
std::complex<float> product_in(const std::vector<std::size_t>& order, std::complex<float> product,
                               const std::vector<std::complex<float>>& updates) {
  for (const std::size_t k : order) {
    const auto x = updates[k - 1];
    product = {product.real() * x.real() - product.imag() * x.imag(),
               product.real() * x.imag() + product.imag() * x.real()};
  }
  return product;
}

}  // namespace

TEST_CASE("orders: a complex factor of the least float64 is not zero", "[orders]") {
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<std::complex<double>> updates{{-1.5, 0.75}, {-0.25, -2}};
  const auto verdict = [&](std::complex<double> actual) {
    return complex_verdict<double>(Reduction::prod, {-tiny, 0}, updates, actual).element_class;
  };
  CHECK(verdict({-2 * tiny, -4 * tiny}) == ElementClass::in_order);
  CHECK(verdict({-2 * tiny, -3 * tiny}) == ElementClass::reordered);
  CHECK(verdict({-2, -3}) == ElementClass::wrong);
}

TEST_CASE("orders: complex sums go part by part, products by their modulus", "[orders]") {
  using C = std::complex<float>;
  const float tiny = 0x1p-24F;
  const std::vector<C> updates{{tiny, 1}, {tiny, tiny}, {1, 1}};
  CHECK(complex_verdict<float>(Reduction::sum, {1, 1}, updates, {2, 3}).element_class ==
        ElementClass::in_order);
  CHECK(complex_verdict<float>(Reduction::sum, {1, 1}, updates, {2 + 4 * tiny, 3}).element_class ==
        ElementClass::rounded);
  CHECK(complex_verdict<float>(Reduction::sum, {1, 1}, updates, {3, 3}).element_class ==
        ElementClass::wrong);
  const std::vector<C> factors{{1.1F, 0.3F}, {0.7F, -1.9F}, {1.3F, 0.1F}};
  C product{1, 1};
  for (const C& factor : factors) {
    product = C(product.real() * factor.real() - product.imag() * factor.imag(),
                product.real() * factor.imag() + product.imag() * factor.real());
  }
  CHECK(complex_verdict<float>(Reduction::prod, {1, 1}, factors, product).element_class ==
        ElementClass::in_order);
  const C near{product.real(), std::nextafter(product.imag(), 9.0F)};
  CHECK(complex_verdict<float>(Reduction::prod, {1, 1}, factors, near).element_class !=
        ElementClass::wrong);
  const C far{product.real() * (1 + 64 * tiny), product.imag()};
  CHECK(complex_verdict<float>(Reduction::prod, {1, 1}, factors, far).element_class ==
        ElementClass::wrong);
}

TEST_CASE("orders: complex products of up to 7 writers are decided, more have a bound",
          "[orders]") {
  Random random(device::seed());
  for (const std::size_t writers : {5U, 7U, 12U}) {
    int decided = 0;
    for (int i = 0; i < 40; ++i) {
      std::vector<std::complex<float>> updates;
      while (updates.size() < writers) {
        updates.emplace_back(static_cast<float>(device::ordinary<float>(random)),
                             static_cast<float>(device::ordinary<float>(random)));
      }
      const std::complex<float> data(1, static_cast<float>(device::ordinary<float>(random)));
      const auto actual = product_in(device::order_of_writers(random, writers), data, updates);
      const auto verdict = complex_verdict<float>(Reduction::prod, data, updates, actual);
      CHECK(verdict.element_class != ElementClass::wrong);
      decided += verdict.element_class == ElementClass::rounded ? 0 : 1;
    }
    INFO(writers << " writers, " << decided << " decided");
    CHECK((decided == 40) == (writers <= 7));
  }
}

TEST_CASE("orders: no complex product of any order or wider format is called wrong", "[orders]") {
  Random random(device::seed());
  for (int i = 0; i < 3000; ++i) {
    const auto writers = static_cast<std::size_t>(random.between(1, 6));
    std::complex<float> data(static_cast<float>(device::ordinary<float>(random)),
                             static_cast<float>(device::swamped<float>(random)));
    std::vector<std::complex<float>> updates;
    for (std::size_t k = 0; k < writers; ++k) {
      updates.emplace_back(static_cast<float>(device::ordinary<float>(random)),
                           static_cast<float>(device::ordinary<float>(random)));
    }
    const auto order = device::order_of_writers(random, writers);
    const std::complex<float> narrow = product_in(order, data, updates);
    std::complex<double> wide = data;
    for (const std::size_t k : order) wide *= std::complex<double>(updates[k - 1]);
    INFO("seed " << device::seed() << ", case " << i);
    CHECK(complex_verdict<float>(Reduction::prod, data, updates, narrow).element_class !=
          ElementClass::wrong);
    if (writers == 1) continue;
    CHECK(complex_verdict<float>(Reduction::prod, data, updates, std::complex<float>(wide))
              .element_class != ElementClass::wrong);
  }
}

}  // namespace tscatter
