#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "tscatter/core/unreachable.hpp"
#include "tscatter/explain/order_scan.hpp"
#include "tscatter/orders/dependence_judge.hpp"
#include "tscatter/reach/elements.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t most_enumerated = orders::exact_writers;

using Bytes = std::vector<std::byte>;

class ExampleFinder {
 public:
  ExampleFinder(const FoundElement& found, const orders::Combination& combination,
                const ElementType& type, ColumnReader& reader, const Places& places)
      : found_{found},
        reduction_{combination.reduction},
        type_{type},
        places_{places},
        judge_{type, combination},
        terms_{reader, found.group, {.begin = found.column, .end = found.column + 1}} {}

  DependentElement find() {
    const std::int64_t n = terms_.updates();
    DependentElement element{.position = places_.elements.position(found_.number),
                             .index = found_.index,
                             .writers = n,
                             .in_order = {},
                             .other = {}};
    const Bytes first = result(in_order());
    element.in_order = example(in_order(), first);
    for (const orders::RegularOrder order : candidates(first)) {
      if (takes(regular(order), first, element)) return element;
    }
    take_shuffled(first, element);
    return element;
  }

 private:
  using Order = orders::DependenceJudge::Order;

  Order regular(orders::RegularOrder order) {
    return [order, n = terms_.updates()](std::int64_t k) { return order.at(k, n); };
  }
  Order in_order() { return regular({}); }

  bool takes(const Order& order, const Bytes& first, DependentElement& element) {
    const Bytes other = result(order);
    if (other == first) return false;
    element.other = example(order, other);
    return true;
  }

  // Perhaps only a few orders differ: tries the same ones in every run.
  void take_shuffled(const Bytes& first, DependentElement& element) {
    constexpr int most_tried = 2000;
    const std::int64_t n = terms_.updates();
    if (n > most_enumerated) return;
    std::vector<std::size_t> places = orders::first_to_last(static_cast<std::size_t>(n));
    const Order order = [&](std::int64_t k) {
      return static_cast<std::int64_t>(places[static_cast<std::size_t>(k)]);
    };
    std::mt19937_64 random;
    for (int i = 0; i < most_tried; ++i) {
      orders::shuffle(places, random);
      if (takes(order, first, element)) return;
    }
  }

  Bytes result(const Order& order) {
    const std::byte* bytes = judge_.result(terms_, order);
    return {bytes, bytes + type_.size};
  }

  bool is_update(std::int64_t index, const Bytes& value) {
    return std::memcmp(terms_.update(index), value.data(), value.size()) == 0;
  }

  // `first`: the result of the order of the entries.
  std::vector<orders::RegularOrder> candidates(const Bytes& first) {
    switch (order_effect(reduction_, type_.dtype)) {
      case OrderEffect::last_stays: return {last_differing(first)};
      case OrderEffect::extreme: return extreme_candidates(first);
      case OrderEffect::nothing:
      case OrderEffect::rounded_sum:
      case OrderEffect::rounded_prod: return regular_and_turned();
    }
    unreachable();
  }

  // The zero or NaN that stays came first, or last.
  std::vector<orders::RegularOrder> extreme_candidates(const Bytes& first) {
    const std::int64_t n = terms_.updates();
    std::vector<orders::RegularOrder> tried{first_equal(negated(first))};
    const orders::RegularOrder last = last_differing(first);
    tried.push_back({.first = (last.first + 1) % n, .step = 1});
    const std::vector<orders::RegularOrder> others = regular_and_turned();
    tried.insert(tried.end(), others.begin(), others.end());
    return tried;
  }

  std::vector<orders::RegularOrder> regular_and_turned() const {
    const std::int64_t n = terms_.updates();
    std::vector<orders::RegularOrder> tried = orders::regular_orders(n);
    for (std::int64_t k = 1; n <= most_enumerated && k < n; ++k)
      tried.push_back({.first = k, .step = 1});
    return tried;
  }

  // none: the last update stays.
  orders::RegularOrder last_differing(const Bytes& value) {
    std::int64_t k = terms_.updates() - 1;
    while (k > 1 && is_update(k - 1, value)) --k;
    return {.first = k, .step = 1};
  }

  // min, max: the first zero stays.
  orders::RegularOrder first_equal(const Bytes& value) {
    std::int64_t k = 1;
    while (k + 1 < terms_.updates() && !is_update(k, value)) ++k;
    return {.first = k, .step = 1};
  }

  static Bytes negated(Bytes real) {
    std::byte& highest = std::endian::native == std::endian::little ? real.back() : real.front();
    highest ^= std::byte{0x80};
    return real;
  }

  OrderExample example(const Order& order, Bytes result) const {
    result.resize(shown_bytes(type_));
    result.shrink_to_fit();  // thousands are kept
    const auto entry = [&](std::int64_t k) {
      return found_.group[static_cast<std::size_t>(order(k))].entry;
    };
    return {.entries = places_.entry_list(terms_.updates(), entry), .result = std::move(result)};
  }

  const FoundElement& found_;
  Reduction reduction_;
  const ElementType& type_;
  const Places& places_;
  orders::DependenceJudge judge_;
  ReadTerms terms_;
};

}  // namespace

DependentElement example_of(const FoundElement& found, const orders::Combination& combination,
                            const ElementType& type, ColumnReader& reader, const Places& places) {
  return ExampleFinder(found, combination, type, reader, places).find();
}

}  // namespace tscatter
