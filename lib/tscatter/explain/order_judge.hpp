// OrderJudge: whether two orders of the updates leave different bytes, for elements side by side.
// docs/explain.md has the reasons. Not part of the installed interface.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/explain/explain.hpp"
#include "tscatter/explain/terms.hpp"
#include "tscatter/kernels/reduce.hpp"

namespace tscatter {

// The order in which the k-th update that is applied is number (first + k * step) modulo n.
struct RegularOrder {
  std::int64_t first = 0;
  std::int64_t step = 1;

  std::int64_t at(std::int64_t k, std::int64_t n) const { return (first + k * step) % n; }
};

// Orders that are tried against that of the entries: all others of 2 and 3 updates, a few of more.
std::vector<RegularOrder> tried_orders(std::int64_t updates);

// Up to so many updates every order is looked at.
inline constexpr std::int64_t most_decided = 12;

// Each worker has its own.
class OrderJudge {
 public:
  // REQUIRES: none, or a reduction of a real or complex dtype that is defined for it.
  OrderJudge(const ElementType& type, Reduction reduction);

  // A verdict for each column; `unknown` only where more than most_decided updates meet.
  void judge(Terms& terms, std::span<OrderDependence> verdicts);

  // The elements after all updates in the order, a row that is valid until the next call. `order`:
  // which update is the k-th that is applied.
  using Order = std::function<std::int64_t(std::int64_t k)>;
  const std::byte* result(Terms& terms, const Order& order);
  const std::byte* result(Terms& terms, RegularOrder order) {
    return result(terms, [&](std::int64_t k) { return order.at(k, terms.updates()); });
  }

 private:
  void judge_overwriting(Terms& terms, std::span<OrderDependence> verdicts);
  void judge_extremes(Terms& terms, std::span<OrderDependence> verdicts);
  void judge_arithmetic(Terms& terms, std::span<OrderDependence> verdicts);
  void try_orders(Terms& terms, std::span<OrderDependence> verdicts);
  void settle(Terms& terms, std::span<OrderDependence> verdicts);
  void mark_differences(const std::byte* a, const std::byte* b,
                        std::span<OrderDependence> verdicts) const;

  ElementType type_;
  Reduction reduction_;
  ReduceLoop reduce_;
  std::vector<std::byte> in_order_;
  std::vector<std::byte> other_;
};

}  // namespace tscatter
