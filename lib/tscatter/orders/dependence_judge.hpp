// DependenceJudge: decides for several elements at once whether two orders of the updates leave
// different bytes. docs/explain.md has the reasoning.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/orders/in_order_value.hpp"
#include "tscatter/orders/order_lists.hpp"
#include "tscatter/orders/terms.hpp"
#include "tscatter/orders/verdict.hpp"

namespace tscatter::orders {

// Each worker has its own.
class DependenceJudge {
 public:
  // REQUIRES: none, or a real or complex dtype and a reduction that is defined for it.
  DependenceJudge(const ElementType& type, const Combination& combination);

  // A verdict for each column; `unknown` only where more than exact_writers updates meet.
  void judge(TermTable& terms, std::span<OrderDependence> verdicts);

  // The elements after all updates in the given order, as a row that is valid until the next call.
  // `order`: the number of the update that is applied k-th.
  using Order = std::function<std::int64_t(std::int64_t k)>;
  const std::byte* result(TermTable& terms, const Order& order);
  const std::byte* result(TermTable& terms, RegularOrder order) {
    return result(terms, [&](std::int64_t k) { return order.at(k, terms.updates()); });
  }

 private:
  void judge_overwriting(TermTable& terms, std::span<OrderDependence> verdicts);
  void judge_extremes(TermTable& terms, std::span<OrderDependence> verdicts);
  void judge_arithmetic(TermTable& terms, std::span<OrderDependence> verdicts);
  bool walk_rows(TermTable& terms, std::span<OrderDependence> verdicts);
  void try_orders(TermTable& terms, std::span<OrderDependence> verdicts);
  void decide_finite(TermTable& terms, std::span<OrderDependence> verdicts) const;
  void settle(TermTable& terms, std::span<OrderDependence> verdicts);
  void begin_differences(std::size_t columns);
  void add_differences(const std::byte* a, const std::byte* b);
  void mark_differences(std::span<OrderDependence> verdicts) const;

  ElementType type_;
  Combination combination_;
  InOrderValue value_;  // of one order after another
  std::vector<std::byte> in_order_;
  std::vector<std::byte> difference_;  // bits in which rows differ
};

// What decides columns without trying orders one by one:

// For each column, true if it is certain that all orders leave the same bytes:
//   a sum: a NaN among the terms; or every partial sum is a number of the dtype, since all terms
//     are multiples of 2^k and their magnitudes add up to less than 2^(k + precision); or an
//     infinity, where the finite terms alone cannot come near one
//   a product: a NaN; or every partial product is a number of the dtype, since the significant
//     bits of all factors together fit it and so do the extremes of the exponents; or a zero, where
//     the others cannot come near an infinity
// False means nothing. Complex sums are examined part by part, complex products not at all.
// REQUIRES: the reduction is a sum, a mean or a product; the dtype is real or complex.
std::vector<bool> exact_columns(DType dtype, Reduction reduction, TermTable& terms);

// Whether two orders leave different sums or products, from the least and the greatest result of
// all orders. `values`: a row of columns for data's values, then one for each update; `results`:
// one for each column, `unknown` where a NaN or an infinity, in a product also a zero, is among the
// terms. `divisor`: a mean's. T is real; at most `exact_writers` updates. REQUIRES: a sum, a mean
// or a product, each step rounded to T.
template <class T>
void decide_by_ranges(Reduction reduction, std::int64_t divisor, std::span<const T> values,
                      std::span<OrderDependence> results);

}  // namespace tscatter::orders
