#include "tscatter/orders/find_order.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/quotient.hpp"
#include "tscatter/kernels/reductions.hpp"
#include "tscatter/orders/order_lists.hpp"
#include "tscatter/orders/prescribed.hpp"

namespace tscatter::orders {
namespace {

using Order = std::vector<std::size_t>;

// Applies one update, through a pointer so that the sets are compiled once per type.
template <class T>
using Step = T (*)(T, T);
template <class T, class Operation>
T step(T value, T update) {
  return Operation::apply(value, update);
}

template <class T>
class TermArithmetic {
 public:
  TermArithmetic(const TermRows<T>& rows, std::size_t column, Step<T> step)
      : terms_(rows.writers()), step_(step) {
    for (std::size_t k = 0; k < terms_.size(); ++k) terms_[k] = rows.terms[k][column];
  }
  T apply(const T& value, std::size_t k) const { return step_(value, terms_[k]); }
  static bool before(const T& a, const T& b) { return pattern_of(a) < pattern_of(b); }
  static bool alive(const T& /*value*/, std::size_t /*applied*/) { return true; }

 private:
  std::vector<T> terms_;
  Step<T> step_;
};

template <class T>
using TermSets = OrderSets<T, TermArithmetic<T>>;

template <class T, class Operation>
T left_by(Reduction reduction, const TermRows<T>& rows, std::size_t column,
          std::span<const std::size_t> order) {
  T value = rows.data[column];
  for (const std::size_t k : order) value = Operation::apply(value, rows.terms[k][column]);
  return divided(reduction, value, rows.divisor);
}

// The first of the orders that leaves a value which is accepted.
template <class T, class Accept>
const Order* first_that(Reduction reduction, const TermRows<T>& rows, std::size_t column,
                        std::span<const Order> orders, const Accept& accepts) {
  return reductions::visit_reduction<T>(reduction, [&]<class Operation>() -> const Order* {
    for (const Order& order : orders) {
      if (accepts(left_by<T, Operation>(reduction, rows, column, order))) return &order;
    }
    return nullptr;
  });
}

template <class T>
Step<T> step_of(Reduction reduction) {
  return reductions::visit_reduction<T>(
      reduction, []<class Operation>() -> Step<T> { return step<T, Operation>; });
}

template <class T>
T canonical(Reduction reduction, const T& value) {
  const bool selects = info(reduction).effect == OrderEffect::extreme;
  return selects ? value : reductions::with_one_nan(value);
}

// An order that leaves a value which is accepted; see find_order().
template <class T, class Accept>
std::optional<Order> order_that(Reduction reduction, const TermRows<T>& rows, std::size_t column,
                                std::size_t most_values, const Accept& accepts) {
  const Order in_order = first_to_last(rows.writers());
  if (first_that<T>(reduction, rows, column, {&in_order, 1}, accepts)) return in_order;
  const std::vector<Order> orders = tried_orders(rows.writers());
  if (const Order* found = first_that<T>(reduction, rows, column, orders, accepts)) return *found;
  if (rows.writers() <= enumerated_writers || rows.writers() > exact_writers) return std::nullopt;
  const TermArithmetic<T> arithmetic(rows, column, step_of<T>(reduction));
  const TermSets<T> sets(rows.writers(), rows.data[column], arithmetic, most_values);
  if (!sets.is_complete()) return std::nullopt;
  for (const T& result : sets.results()) {
    if (accepts(divided(reduction, result, rows.divisor))) return sets.order_of(result);
  }
  return std::nullopt;
}

// min and max have no accumulator.
template <class T>
bool meets_wider(Meeting meeting) {
  return prescribes_wider<T>(meeting.accumulation) &&
         info(meeting.reduction).effect != OrderEffect::extreme;
}

// `is_same`: whether two values become the same element.
template <class T, class Same>
OrderDependence dependence_of(Reduction reduction, const TermRows<T>& rows, std::size_t column,
                              std::span<const Order> orders, const Same& is_same) {
  const Step<T> step = step_of<T>(reduction);
  T first = rows.data[column];
  for (const T* const terms : rows.terms) first = step(first, terms[column]);
  first = divided(reduction, first, rows.divisor);
  const auto differs = [&](const T& value) { return !is_same(value, first); };
  if (first_that<T>(reduction, rows, column, orders, differs)) return OrderDependence::yes;
  if (rows.writers() <= enumerated_writers) return OrderDependence::no;
  const TermArithmetic<T> arithmetic(rows, column, step);
  const TermSets<T> sets(rows.writers(), rows.data[column], arithmetic);
  if (!sets.is_complete()) return OrderDependence::unknown;
  const bool any_differs = std::ranges::any_of(sets.results(), [&](const T& result) {
    return differs(divided(reduction, result, rows.divisor));
  });
  return any_differs ? OrderDependence::yes : OrderDependence::no;
}

template <class T>
OrderDependence wide_dependence_of(Meeting meeting, const TermRows<T>& rows, std::size_t column,
                                   std::span<const Order> orders) {
  const Narrowing<T> narrowed(meeting.reduction, meeting.accumulation,
                              meeting.rounds_sum ? rows.divisor : 1);
  return visit_accumulator<T>(meeting.accumulation, [&]<class Wide>() {
    const WideColumn<Wide> wide(rows, column, meeting.rounds_sum ? 1 : rows.divisor);
    return dependence_of<Wide>(
        meeting.reduction, wide.rows(), 0, orders,
        [&](const Wide& a, const Wide& b) { return same_bits(narrowed(a), narrowed(b)); });
  });
}

}  // namespace

template <class T>
std::optional<Order> find_order(Meeting meeting, const TermRows<T>& rows, std::size_t column,
                                const T& wanted, std::size_t most_values) {
  if constexpr (is_real_v<T>) {
    if (meets_wider<T>(meeting)) {
      const Narrowing<T> narrowed(meeting.reduction, meeting.accumulation,
                                  meeting.rounds_sum ? rows.divisor : 1);
      return visit_accumulator<T>(meeting.accumulation, [&]<class Wide>() {
        const WideColumn<Wide> wide(rows, column, meeting.rounds_sum ? 1 : rows.divisor);
        return order_that<Wide>(
            meeting.reduction, wide.rows(), 0, most_values,
            [&](const Wide& value) { return same_bits(narrowed(value), wanted); });
      });
    }
  }
  return order_that<T>(meeting.reduction, rows, column, most_values,
                       [&](const T& value) { return same_bits(value, wanted); });
}

template <class T>
std::optional<Order> order_for(Meeting meeting, const TermRows<T>& rows, std::size_t column) {
  return find_order(meeting, rows, column, canonical(meeting.reduction, rows.actual[column]));
}

template <class T>
void find_dependence(Meeting meeting, const TermRows<T>& rows, std::span<OrderDependence> results) {
  assert(rows.writers() <= exact_writers);
  const std::vector<Order> orders = tried_orders(rows.writers());
  for (std::size_t column = 0; column < rows.columns(); ++column) {
    if constexpr (is_real_v<T>) {
      if (meets_wider<T>(meeting)) {
        results[column] = wide_dependence_of(meeting, rows, column, orders);
        continue;
      }
    }
    results[column] = dependence_of<T>(meeting.reduction, rows, column, orders, same_bits<T>);
  }
}

std::vector<std::int64_t> explaining_order(DType dtype, Meeting meeting, std::int64_t divisor,
                                           std::span<const std::byte> data,
                                           std::span<const std::byte> actual,
                                           std::span<const std::vector<std::byte>> terms) {
  return visit_dtype(dtype, [&]<class T>() -> std::vector<std::int64_t> {
    // If orders do not matter, there is none to report.
    if constexpr (!orders_matter_v<T>) return {};
    if constexpr (orders_matter_v<T>) {
      const auto value = [](std::span<const std::byte> bytes) {
        T element;
        std::memcpy(&element, bytes.data(), sizeof(T));
        return element;
      };
      std::vector<T> values(terms.size());
      std::ranges::transform(terms, values.begin(), value);
      std::vector<const T*> rows(values.size());
      std::ranges::transform(values, rows.begin(), [](const T& each) { return &each; });
      const T before = value(data);
      const T after = value(actual);
      const auto order = order_for<T>(
          meeting, {.data = {&before, 1}, .actual = {&after, 1}, .terms = rows, .divisor = divisor},
          0);
      return order ? std::vector<std::int64_t>(order->begin(), order->end())
                   : std::vector<std::int64_t>();
    }
  });
}

#define TSCATTER_FIND_ORDERS_OF(T)                                                             \
  template std::optional<Order> find_order(Meeting, const TermRows<T>&, std::size_t, const T&, \
                                           std::size_t);                                       \
  template std::optional<Order> order_for(Meeting, const TermRows<T>&, std::size_t);           \
  template void find_dependence(Meeting, const TermRows<T>&, std::span<OrderDependence>);

TSCATTER_FIND_ORDERS_OF(Half)
TSCATTER_FIND_ORDERS_OF(BFloat16)
TSCATTER_FIND_ORDERS_OF(float)
TSCATTER_FIND_ORDERS_OF(double)
TSCATTER_FIND_ORDERS_OF(std::complex<float>)
TSCATTER_FIND_ORDERS_OF(std::complex<double>)

#undef TSCATTER_FIND_ORDERS_OF

}  // namespace tscatter::orders
