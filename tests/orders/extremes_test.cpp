// min and max of each family, beside every order of the oracle's formulas: what is left of a NaN
// and of equal values.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "catch.hpp"
#include "oracle/arithmetic.hpp"
#include "orders/elements.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/orders/dependence_judge.hpp"
#include "tscatter/orders/element_judge.hpp"

namespace tscatter {
namespace {

using device::Elements;
using device::for_each_real_dtype;
using orders::ElementClass;
using orders::OrderDependence;

template <class T>
std::vector<std::byte> bytes_of(T value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  return {first, first + sizeof(T)};
}

// A NaN with another payload, too.
template <class T>
std::vector<T> special_values() {
  std::vector<T> values;
  for (const double each : {-0.0, 0.0, 1.0, 2.0, std::numeric_limits<double>::quiet_NaN()})
    values.push_back(device::element<T>(each));
  T other = values.back();
  reinterpret_cast<unsigned char*>(&other)[0] |= 1;
  values.push_back(other);
  return values;
}

std::vector<Reduction> all_extremes() {
  std::vector<Reduction> all;
  for (const ReductionInfo& each : reduction_table) {
    if (each.effect == OrderEffect::extreme) all.push_back(each.reduction);
  }
  return all;
}

template <class T>
std::vector<std::byte> left_by(Reduction reduction, T data, const std::vector<T>& updates,
                               const std::vector<std::size_t>& order) {
  const ElementType type = ElementType::of(device::dtype_of<T>());
  for (const std::size_t k : order) {
    oracle::combine(type, reduction, reinterpret_cast<std::byte*>(&data),
                    reinterpret_cast<const std::byte*>(&updates[k]));
  }
  return bytes_of(data);
}

// The first is that of the order of the updates.
template <class T>
std::vector<std::vector<std::byte>> results_of(Reduction reduction, T data,
                                               const std::vector<T>& updates) {
  std::vector<std::size_t> order(updates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::vector<std::byte>> results;
  do {
    results.push_back(left_by(reduction, data, updates, order));
  } while (std::next_permutation(order.begin(), order.end()));
  return results;
}

// Calls visit(data, updates) for all choices of special values.
template <class T, class Visit>
void for_each_element(std::size_t writers, const Visit& visit) {
  const std::vector<T> values = special_values<T>();
  std::vector<std::size_t> digits(writers + 1, 0);
  while (true) {
    std::vector<T> updates;
    for (std::size_t k = 1; k <= writers; ++k) updates.push_back(values[digits[k]]);
    visit(values[digits[0]], updates);
    std::size_t at = 0;
    while (at < digits.size() && ++digits[at] == values.size()) digits[at++] = 0;
    if (at == digits.size()) return;
  }
}

template <class T>
OrderDependence dependence_of(Reduction reduction, T data, const std::vector<T>& updates) {
  orders::StoredTerms terms(static_cast<std::int64_t>(updates.size()), 1, sizeof(T));
  terms.set_columns(1);
  std::memcpy(terms.row(0), &data, sizeof(T));
  for (std::size_t k = 0; k < updates.size(); ++k)
    std::memcpy(terms.row(static_cast<std::int64_t>(k) + 1), &updates[k], sizeof(T));
  orders::DependenceJudge judge(ElementType::of(device::dtype_of<T>()), {reduction});
  std::vector<OrderDependence> verdicts(1);
  judge.judge(terms, verdicts);
  return verdicts[0];
}

}  // namespace

TEST_CASE("orders: min and max of every family leave what some order of its formula leaves",
          "[orders]") {
  for_each_real_dtype([]<class T> {
    for (const Reduction reduction : all_extremes()) {
      for (const std::size_t writers : {1U, 2U, 3U}) {
        std::int64_t wrong = 0;
        for_each_element<T>(writers, [&](T data, const std::vector<T>& updates) {
          const auto results = results_of(reduction, data, updates);
          for (const T actual : special_values<T>()) {
            Elements<T> elements(writers, 1);
            elements.place(0, data, updates, actual);
            orders::ElementJudge<T> judge(reduction, {});
            const ElementClass found = elements.verdicts(judge)[0].element_class;
            const bool is_left = std::ranges::count(results, bytes_of(actual)) > 0;
            const ElementClass left = bytes_of(actual) == results.front() ? ElementClass::in_order
                                                                          : ElementClass::reordered;
            if (is_left ? found != left : found <= ElementClass::reordered) ++wrong;
          }
        });
        INFO(to_string(reduction) << " " << to_string(info(reduction).extremes) << " of "
                                  << writers);
        CHECK(wrong == 0);
      }
    }
  });
}

TEST_CASE("orders: whether min and max of every family depend on the order", "[orders]") {
  for_each_real_dtype([]<class T> {
    for (const Reduction reduction : all_extremes()) {
      std::int64_t wrong = 0;
      for_each_element<T>(3, [&](T data, const std::vector<T>& updates) {
        const auto results = results_of(reduction, data, updates);
        const std::set<std::vector<std::byte>> different(results.begin(), results.end());
        const bool depends = different.size() > 1;
        if ((dependence_of(reduction, data, updates) == OrderDependence::yes) != depends) ++wrong;
      });
      INFO(to_string(reduction) << " " << to_string(info(reduction).extremes));
      CHECK(wrong == 0);
    }
  });
}

}  // namespace tscatter
