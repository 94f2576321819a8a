// For one column at a time, of any dtype whose results depend on the order: finds an order that
// leaves a given value, and whether two orders leave different values.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/core/reduction.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/orders/order_lists.hpp"
#include "tscatter/orders/terms.hpp"
#include "tscatter/orders/verdict.hpp"

namespace tscatter::orders {

// The bits of an element: two words for a complex one.
template <class T>
auto pattern_of(const T& element) {
  constexpr std::size_t parts = is_complex_v<T> ? 2 : 1;
  return std::bit_cast<std::array<ElementBits<sizeof(T) / parts>, parts>>(element);
}

template <class T>
bool same_bits(const T& a, const T& b) {
  if constexpr (is_complex_v<T>) {
    return pattern_of(a) == pattern_of(b);
  } else {
    using Word = ElementBits<sizeof(T)>;
    return std::bit_cast<Word>(a) == std::bit_cast<Word>(b);
  }
}

// How updates meet: by the reduction, in T or in the wider dtype that is prescribed for its sums
// and products, which are then rounded once.
struct Meeting {
  Reduction reduction;
  Accumulation accumulation = Accumulation::each_step;
  bool rounds_sum = false;  // of a mean: as MeanRules::rounds_sum()
};

// Below, T is real or complex, and the reduction is defined for it and not none.

// An order of the updates, as indices into `terms`, that leaves `wanted` in the column bit for bit;
// the order of the entries if that does. Exact for up to `exact_writers` whose sets have at most
// `most_values`; beyond, there may be an order that is not found.
template <class T>
std::optional<std::vector<std::size_t>> find_order(Meeting meeting, const TermRows<T>& rows,
                                                   std::size_t column, const T& wanted,
                                                   std::size_t most_values = most_set_values);

// An order that leaves the column's actual value (any NaN, if that is a NaN).
template <class T>
std::optional<std::vector<std::size_t>> order_for(Meeting meeting, const TermRows<T>& rows,
                                                  std::size_t column);

// Whether two orders leave different values, per column. Decided except for complex products with a
// million partial ones. REQUIRES: at most `exact_writers` writers.
template <class T>
void find_dependence(Meeting meeting, const TermRows<T>& rows, std::span<OrderDependence> results);

// order_for() for one element, native bytes, of a dtype that is known only at run time. Writers
// count from 0; empty if no order is found.
std::vector<std::int64_t> explaining_order(DType dtype, Meeting meeting, std::int64_t divisor,
                                           std::span<const std::byte> data,
                                           std::span<const std::byte> actual,
                                           std::span<const std::vector<std::byte>> terms);

}  // namespace tscatter::orders
