// One column at a time, for any dtype whose results depend on the order: an order that leaves a
// value, and whether two orders leave different ones. Not part of the installed interface.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/core/element_bits.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/orders/order_sets.hpp"
#include "tscatter/orders/term_rows.hpp"
#include "tscatter/orders/verdict.hpp"

namespace tscatter::orders {

// The bits of an element: of a complex one two words.
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

// T below is real or complex, and has the reduction, which is not none.

// An order of the updates, as places in `terms`, that leaves `wanted` in the column bit for bit;
// the in-order one where that does. Exact for up to `exact_writers` as long as their sets have no
// more than `most_values`; beyond, an order that was not found may exist.
template <class T>
std::optional<std::vector<std::size_t>> find_order(Reduction reduction, const TermRows<T>& rows,
                                                   std::size_t column, const T& wanted,
                                                   std::size_t most_values = most_set_values);

// That leaves the actual value of the column (a NaN: any NaN).
template <class T>
std::optional<std::vector<std::size_t>> order_for(Reduction reduction, const TermRows<T>& rows,
                                                  std::size_t column);

// Whether two orders leave different values, per column. Decided for up to `exact_writers`, but for
// products of complex numbers that leave a million partial ones. REQUIRES: at most so many writers.
template <class T>
void find_dependence(Reduction reduction, const TermRows<T>& rows,
                     std::span<OrderDependence> results);

// order_for() of one element of a dtype that is known when the program runs, from 0; empty where
// none is found. Native bytes.
std::vector<std::int64_t> explaining_order(DType dtype, Reduction reduction,
                                           std::span<const std::byte> data,
                                           std::span<const std::byte> actual,
                                           std::span<const std::vector<std::byte>> terms);

}  // namespace tscatter::orders
