// One column at a time, for any dtype and reduction: an order that leaves a value, and all values
// that orders leave. Not part of the installed interface.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/compare/element_math.hpp"
#include "tscatter/kernels/reductions.hpp"
#include "tscatter/orders/order_search.hpp"
#include "tscatter/orders/order_sets.hpp"

namespace tscatter::orders {

// The bits of an element: of a complex one two words.
template <class T>
auto pattern_of(const T& element) {
  constexpr std::size_t parts = is_complex_v<T> ? 2 : 1;
  using Word = element_math::Bits<sizeof(T) / parts>;
  return std::bit_cast<std::array<Word, parts>>(element);
}

template <class T>
bool same_bits(const T& a, const T& b) {
  if constexpr (is_complex_v<T>) {
    return pattern_of(a) == pattern_of(b);
  } else {
    using Word = element_math::Bits<sizeof(T)>;
    return std::bit_cast<Word>(a) == std::bit_cast<Word>(b);
  }
}

template <class T, class Operation>
class TermArithmetic {
 public:
  TermArithmetic(const TermRows<T>& rows, std::size_t column) : terms_(rows.writers()) {
    for (std::size_t k = 0; k < terms_.size(); ++k) terms_[k] = rows.terms[k][column];
  }
  T apply(const T& value, std::size_t k) const { return Operation::apply(value, terms_[k]); }
  static bool before(const T& a, const T& b) { return pattern_of(a) < pattern_of(b); }
  static bool alive(const T& /*value*/, std::size_t /*applied*/) { return true; }

 private:
  std::vector<T> terms_;
};

template <class T, class Operation>
bool leaves(const TermRows<T>& rows, std::size_t column, std::span<const std::size_t> order,
            const T& wanted) {
  T value = rows.data[column];
  for (const std::size_t k : order) value = Operation::apply(value, rows.terms[k][column]);
  return same_bits(value, wanted);
}

template <class T, class Operation>
std::optional<std::vector<std::size_t>> find_order_of(const TermRows<T>& rows, std::size_t column,
                                                      const T& wanted) {
  std::vector<std::size_t> order(rows.writers());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (leaves<T, Operation>(rows, column, order, wanted)) return order;
  for (const auto& tried : tried_orders(order.size())) {
    if (leaves<T, Operation>(rows, column, tried, wanted)) return tried;
  }
  if (order.size() <= enumerated_writers || order.size() > exact_writers) return std::nullopt;
  const TermArithmetic<T, Operation> arithmetic(rows, column);
  const OrderSets<T, TermArithmetic<T, Operation>> sets(order.size(), rows.data[column],
                                                        arithmetic);
  if (!sets.is_complete()) return std::nullopt;
  for (const T& result : sets.results()) {
    if (same_bits(result, wanted)) return sets.order_of(result);
  }
  return std::nullopt;
}

}  // namespace tscatter::orders
