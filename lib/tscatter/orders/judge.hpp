// Whether an element is legal for some order of the updates that reach it: docs/verify.md has the
// classes, the bounds and their proofs. Knows elements only, no files and no plans. Not part of the
// installed interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/core/reduction.hpp"
#include "tscatter/orders/term_rows.hpp"
#include "tscatter/orders/verdict.hpp"

namespace tscatter::orders {

// Gives each column of a row its class. Keeps the order that explained the last column and scratch
// memory of a few hundred KiB between calls: one judge per thread. Columns whose actual value is
// the in-order result are in_order; without writers a column is untouched or wrong.
template <class T>
class Judge {
 public:
  // REQUIRES: a reduction that T has, not none.
  Judge(Reduction reduction, const JudgeOptions& options);
  Judge(Judge&&) noexcept;
  Judge& operator=(Judge&&) noexcept;
  ~Judge();

  // REQUIRES: as many verdicts and actual values as columns.
  void judge(const TermRows<T>& rows, std::span<ElementVerdict> verdicts);

  // The columns of the last call that are not the in-order result, ascending. Until the next call.
  std::span<const std::uint32_t> differing() const;

  // Forgets the order that explained the last columns.
  void forget();

  // Whether the order that explained the last columns explains all of these, bit for bit. False for
  // more writers than are decided exactly.
  bool is_of_last_order(const TermRows<T>& rows);

 private:
  class State;
  std::unique_ptr<State> state_;
};

// An order of the updates, as places in `terms`, that leaves the actual value of the column bit for
// bit (a NaN: any NaN); the in-order one where that does. Exact for up to 12 writers; beyond, an
// order that was not found may exist.
template <class T>
std::optional<std::vector<std::size_t>> order_for(Reduction reduction, const TermRows<T>& rows,
                                                  std::size_t column);

enum class OrderDependence : std::uint8_t { none, some, unknown };

// Whether any two orders leave values that differ, per column. Decided for up to 12 writers (but
// for products of complex numbers that leave a million partial ones); beyond, for sums that are
// exact, integers, and where a few orders differ.
// REQUIRES: the reduction is sum, sub or prod; as many results as columns.
template <class T>
void order_dependence(Reduction reduction, const TermRows<T>& rows,
                      std::span<OrderDependence> results);

}  // namespace tscatter::orders
