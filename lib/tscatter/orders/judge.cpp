#include "tscatter/orders/judge.hpp"

#include <algorithm>
#include <cassert>
#include <complex>
#include <cstring>
#include <numeric>

#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/reductions.hpp"

namespace tscatter::orders {
namespace {

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
T in_order(Reduction reduction, const TermRows<T>& rows, std::size_t column,
           std::span<const std::size_t> order) {
  T value = rows.data[column];
  for (const std::size_t k : order) {
    const T update = rows.terms[k][column];
    switch (reduction) {
      case Reduction::sum: value = reductions::Sum::apply(value, update); break;
      case Reduction::sub: value = reductions::Sub::apply(value, update); break;
      case Reduction::prod: value = reductions::Prod::apply(value, update); break;
      default:
        if constexpr (!is_complex_v<T>) {
          value = reduction == Reduction::min ? reductions::Min::apply(value, update)
                                              : reductions::Max::apply(value, update);
        }
    }
  }
  return value;
}

}  // namespace

template <class T>
class Judge<T>::State {
 public:
  Reduction reduction;
  JudgeOptions options;
};

template <class T>
Judge<T>::Judge(Reduction reduction, const JudgeOptions& options)
    : state_(std::make_unique<State>(State{reduction, options})) {}
template <class T>
Judge<T>::Judge(Judge&&) noexcept = default;
template <class T>
Judge<T>& Judge<T>::operator=(Judge&&) noexcept = default;
template <class T>
Judge<T>::~Judge() = default;

template <class T>
void Judge<T>::judge(const TermRows<T>& rows, std::span<ElementVerdict> verdicts) {
  std::vector<std::size_t> order(rows.writers());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t c = 0; c < rows.columns(); ++c) {
    const bool same = same_bits(in_order(state_->reduction, rows, c, order), rows.actual[c]);
    const bool found = same || order_for(state_->reduction, rows, c).has_value();
    verdicts[c] = {.element_class = !found          ? ElementClass::wrong
                                    : order.empty() ? ElementClass::untouched
                                    : same          ? ElementClass::in_order
                                                    : ElementClass::reordered};
  }
}

template <class T>
std::optional<std::vector<std::size_t>> order_for(Reduction reduction, const TermRows<T>& rows,
                                                  std::size_t column) {
  std::vector<std::size_t> order(rows.writers());
  std::iota(order.begin(), order.end(), std::size_t{0});
  constexpr int most_orders = 5040;
  for (int tried = 0; tried < most_orders; ++tried) {
    if (same_bits(in_order(reduction, rows, column, order), rows.actual[column])) return order;
    if (!std::next_permutation(order.begin(), order.end())) break;
  }
  return std::nullopt;
}

template <class T>
void order_dependence(Reduction reduction, const TermRows<T>& rows,
                      std::span<OrderDependence> results) {
  std::vector<std::size_t> order(rows.writers());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t c = 0; c < rows.columns(); ++c) {
    const T first = in_order(reduction, rows, c, order);
    auto other = order;
    results[c] = OrderDependence::none;
    while (std::next_permutation(other.begin(), other.end())) {
      if (same_bits(first, in_order<T>(reduction, rows, c, other))) continue;
      results[c] = OrderDependence::some;
      break;
    }
  }
}

#define TSCATTER_ORDERS_OF(T)                                                               \
  template class Judge<T>;                                                                  \
  template std::optional<std::vector<std::size_t>> order_for(Reduction, const TermRows<T>&, \
                                                             std::size_t);                  \
  template void order_dependence(Reduction, const TermRows<T>&, std::span<OrderDependence>);

TSCATTER_ORDERS_OF(Bool)
TSCATTER_ORDERS_OF(std::int8_t)
TSCATTER_ORDERS_OF(std::int16_t)
TSCATTER_ORDERS_OF(std::int32_t)
TSCATTER_ORDERS_OF(std::int64_t)
TSCATTER_ORDERS_OF(std::uint8_t)
TSCATTER_ORDERS_OF(std::uint16_t)
TSCATTER_ORDERS_OF(std::uint32_t)
TSCATTER_ORDERS_OF(std::uint64_t)
TSCATTER_ORDERS_OF(Half)
TSCATTER_ORDERS_OF(BFloat16)
TSCATTER_ORDERS_OF(float)
TSCATTER_ORDERS_OF(double)
TSCATTER_ORDERS_OF(std::complex<float>)
TSCATTER_ORDERS_OF(std::complex<double>)

}  // namespace tscatter::orders
