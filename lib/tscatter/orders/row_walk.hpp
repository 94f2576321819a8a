// Applies orders of a sum to rows where they lie in memory, a vector of columns at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tscatter/core/reduction.hpp"
#include "tscatter/orders/order_lists.hpp"
#include "tscatter/orders/verdict.hpp"

namespace tscatter::orders {

// T: float or double.
template <class T>
class RowWalk {
 public:
  static constexpr bool applies = std::is_floating_point_v<T>;
  static constexpr std::size_t all_orders_of = 5;
  static constexpr std::size_t most_terms = exact_writers;
  static constexpr std::size_t most_columns = 1024;

  // Whether the updates are added or subtracted, and that is all.
  static bool walks(Reduction reduction) {
    const ReductionInfo& row = info(reduction);
    return applies && row.effect == OrderEffect::rounded_sum && !row.divides;
  }

  // Some columns: terms[k][first + c] for c below `count`, and so on. REQUIRES: 2 to `most_terms`
  // terms.
  struct Rows {
    const T* data;
    std::span<const T* const> terms;
    std::size_t first;
    std::size_t count;
    bool is_subtracted;  // the terms are
  };

  // Clears the flags, 0 or 1, of the columns whose actual value is finite and left by one of a few
  // orders, bit for bit. `actual` and `flags` begin with the first column. REQUIRES: at most
  // `most_columns`.
  static void clear_reached(const Rows& rows, const T* actual, std::uint8_t* flags);

  // Sets to yes or no whether two orders leave different bits, for each column: of up to
  // `all_orders_of` terms of all orders, else of 24 for each term. Returns whether no result is a
  // NaN in the order of the terms; else this means nothing.
  static bool find_dependent(const Rows& rows, OrderDependence* verdicts);
};

}  // namespace tscatter::orders
