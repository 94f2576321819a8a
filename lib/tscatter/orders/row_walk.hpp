// Walks through orders of a sum of rows, where they lie in memory: all orders of up to five terms,
// 24 for each term of more. Not part of the installed interface.
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
  static constexpr std::size_t room_beyond = 8;

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

  struct Reached {
    bool is_finite = true;      // whether all actual values are; else the rest means nothing
    std::size_t differing = 0;  // columns whose actual value is not in_order
    std::size_t unreached = 0;
  };

  // Puts down the columns whose actual value neither is in_order, bit for bit, nor is left by an
  // order. `actual` and `in_order` begin with the first column; `unreached` has room for `count`
  // and `room_beyond`.
  static Reached find_unreached(const Rows& rows, const T* actual, const T* in_order,
                                std::uint32_t* unreached);

  // Sets to yes or no whether two of the orders leave different bits, for each column. Returns
  // whether no result is a NaN in the order of the terms; else this means nothing.
  static bool find_dependent(const Rows& rows, OrderDependence* verdicts);
};

}  // namespace tscatter::orders
