#include "tscatter/explain/order_examples.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "tscatter/explain/order_judge.hpp"
#include "tscatter/explain/terms.hpp"

namespace tscatter {
namespace {

constexpr std::size_t most_opaque_bytes = 32;

using Bytes = std::vector<std::byte>;

class ExampleFinder {
 public:
  ExampleFinder(const FoundElement& found, Reduction reduction, const ElementType& type,
                ColumnReader& reader, const Places& places)
      : found_{found},
        reduction_{reduction},
        type_{type},
        places_{places},
        judge_{type, reduction},
        row_(type.size),
        terms_{reader, found.group, {.begin = found.column, .end = found.column + 1}, row_} {}

  DependentElement find() {
    const std::int64_t n = terms_.updates();
    DependentElement element{.position = places_.in_data(found_.number),
                             .index = found_.index,
                             .writers = n,
                             .in_order = {},
                             .other = {}};
    const Bytes first = result({});
    element.in_order = example({}, first);
    for (const RegularOrder order : candidates(first)) {
      const Bytes other = result(order);
      if (other == first) continue;
      element.other = example(order, other);
      break;
    }
    return element;
  }

 private:
  Bytes result(RegularOrder order) {
    const std::byte* bytes = judge_.result(terms_, order);
    return {bytes, bytes + type_.size};
  }

  Bytes update(std::int64_t index) {
    const std::byte* bytes = terms_.update(index);
    return {bytes, bytes + type_.size};
  }

  // `first`: what the order of the entries leaves.
  std::vector<RegularOrder> candidates(const Bytes& first) {
    const std::int64_t n = terms_.updates();
    if (reduction_ == Reduction::none) {
      // The update that comes last stays.
      for (std::int64_t k = n - 1; k > 0; --k)
        if (update(k - 1) != first) return {{.first = k, .step = 1}};
    }
    if (reduction_ == Reduction::min || reduction_ == Reduction::max) {
      // The zero that comes first stays.
      for (std::int64_t k = 1; k < n; ++k)
        if (update(k) == negated(first)) return {{.first = k, .step = 1}};
    }
    std::vector<RegularOrder> orders = tried_orders(n);
    for (std::int64_t k = 1; n <= most_decided && k < n; ++k)
      orders.push_back({.first = k, .step = 1});
    return orders;
  }

  static Bytes negated(Bytes real) {
    std::byte& highest = std::endian::native == std::endian::little ? real.back() : real.front();
    highest ^= std::byte{0x80};
    return real;
  }

  OrderExample example(RegularOrder order, Bytes result) const {
    if (type_.dtype == DType::opaque) result.resize(std::min(result.size(), most_opaque_bytes));
    const std::int64_t n = terms_.updates();
    return {.entries = places_.entry_list(n,
                                          [&](std::int64_t k) {
                                            const auto at = static_cast<std::size_t>(order.at(k, n));
                                            return found_.group[at].entry;
                                          }),
            .result = std::move(result)};
  }

  const FoundElement& found_;
  Reduction reduction_;
  const ElementType& type_;
  const Places& places_;
  OrderJudge judge_;
  Bytes row_;
  ReadTerms terms_;
};

}  // namespace

DependentElement example_of(const FoundElement& found, Reduction reduction, const ElementType& type,
                            ColumnReader& reader, const Places& places) {
  return ExampleFinder(found, reduction, type, reader, places).find();
}

}  // namespace tscatter
