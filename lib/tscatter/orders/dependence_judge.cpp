#include "tscatter/orders/dependence_judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/orders/exact_columns.hpp"
#include "tscatter/orders/find_order.hpp"

namespace tscatter::orders {
namespace {

using Verdicts = std::span<OrderDependence>;

bool all_are(Verdicts verdicts, OrderDependence verdict) {
  return std::ranges::all_of(verdicts, [=](OrderDependence each) { return each == verdict; });
}

bool any_is(Verdicts verdicts, OrderDependence verdict) {
  return std::ranges::count(verdicts, verdict) > 0;
}

// The zeros among a column's updates.
struct Zeros {
  bool positive = false;
  bool negative = false;
};

template <class T>
T element(const std::byte* row, std::size_t column) {
  T value;
  std::memcpy(&value, row + column * sizeof(T), sizeof(T));
  return value;
}

template <class T>
bool is_zero(T value) {
  return static_cast<double>(value) == 0;
}

template <class T>
void note_zeros(const std::byte* row, std::span<Zeros> zeros) {
  for (std::size_t column = 0; column < zeros.size(); ++column) {
    const T value = element<T>(row, column);
    if (!is_zero(value)) continue;
    (std::signbit(static_cast<double>(value)) ? zeros[column].negative : zeros[column].positive) =
        true;
  }
}

// The unknown columns, packed: one row after another, data's first.
template <class T>
std::vector<T> unknown_columns(Terms& terms, Verdicts verdicts) {
  std::vector<T> values;
  const auto take = [&](const std::byte* row) {
    for (std::size_t column = 0; column < verdicts.size(); ++column) {
      if (verdicts[column] == OrderDependence::unknown) values.push_back(element<T>(row, column));
    }
  };
  take(terms.data());
  for (std::int64_t k = 0; k < terms.updates(); ++k) take(terms.update(k));
  return values;
}

// Tries every order for the unknown columns.
template <class T>
void decide(Terms& terms, Reduction reduction, Verdicts verdicts) {
  const std::vector<T> values = unknown_columns<T>(terms, verdicts);
  const std::size_t columns = values.size() / static_cast<std::size_t>(terms.updates() + 1);
  std::vector<const T*> rows;
  for (std::size_t begin = columns; begin < values.size(); begin += columns)
    rows.push_back(values.data() + begin);
  std::vector<OrderDependence> results(columns);
  const std::span<const T> data(values.data(), columns);
  find_dependence<T>(reduction, {.data = data, .actual = {}, .terms = rows}, results);
  auto result = results.begin();
  for (OrderDependence& verdict : verdicts) {
    if (verdict == OrderDependence::unknown) verdict = *result++;
  }
}

// Calls function.operator()<T>(). REQUIRES: dtype is real.
template <class Function>
void visit_real(DType dtype, const Function& function) {
  visit_dtype(dtype, [&]<class T>() {
    if constexpr (is_real_v<T>) function.template operator()<T>();
  });
}

}  // namespace

DependenceJudge::DependenceJudge(const ElementType& type, Reduction reduction)
    : type_{type}, reduction_{reduction}, reduce_{reduce_loop(type.dtype, reduction)} {}

void DependenceJudge::judge(Terms& terms, Verdicts verdicts) {
  std::ranges::fill(verdicts, OrderDependence::no);
  switch (order_effect(reduction_, type_.dtype)) {
    case OrderEffect::nothing: return;
    case OrderEffect::last_stays: return judge_overwriting(terms, verdicts);
    case OrderEffect::first_stays: return judge_extremes(terms, verdicts);
    case OrderEffect::rounded_sum:
    case OrderEffect::rounded_prod: return judge_arithmetic(terms, verdicts);
  }
}

const std::byte* DependenceJudge::result(Terms& terms, const Order& order) {
  const std::int64_t n = terms.updates();
  if (reduce_ == nullptr) return terms.update(order(n - 1));
  const std::byte* data = terms.data();
  other_.assign(data, data + terms.columns() * type_.size);
  for (std::int64_t k = 0; k < n; ++k) {
    reduce_(other_.data(), terms.update(order(k)), static_cast<std::int64_t>(terms.columns()));
  }
  return other_.data();
}

void DependenceJudge::mark_differences(const std::byte* a, const std::byte* b,
                                       Verdicts verdicts) const {
  const std::size_t size = type_.size;
  if (std::memcmp(a, b, verdicts.size() * size) == 0) return;
  for (std::size_t column = 0; column < verdicts.size(); ++column) {
    if (std::memcmp(a + column * size, b + column * size, size) != 0)
      verdicts[column] = OrderDependence::yes;
  }
}

// Any of the updates may come last.
void DependenceJudge::judge_overwriting(Terms& terms, Verdicts verdicts) {
  const std::byte* first = terms.update(0);
  in_order_.assign(first, first + verdicts.size() * type_.size);
  for (std::int64_t k = 1; k < terms.updates(); ++k) {
    mark_differences(in_order_.data(), terms.update(k), verdicts);
    if (all_are(verdicts, OrderDependence::yes)) return;
  }
}

// A NaN in data stays, one in updates is ignored; of equal values the first stays, data's before
// all. Equal values have the same bits unless they are zeros.
void DependenceJudge::judge_extremes(Terms& terms, Verdicts verdicts) {
  const std::byte* data = terms.data();
  in_order_.assign(data, data + verdicts.size() * type_.size);
  visit_real(type_.dtype, [&]<class T>() {
    std::vector<Zeros> zeros(verdicts.size());
    std::vector<bool> has_zero_in_data(verdicts.size());
    for (std::size_t i = 0; i < zeros.size(); ++i)
      has_zero_in_data[i] = is_zero(element<T>(in_order_.data(), i));
    for (std::int64_t k = 0; k < terms.updates(); ++k) {
      const std::byte* update = terms.update(k);
      note_zeros<T>(update, zeros);
      reduce_(in_order_.data(), update, static_cast<std::int64_t>(zeros.size()));
    }
    for (std::size_t i = 0; i < zeros.size(); ++i) {
      const bool meets_both = zeros[i].positive && zeros[i].negative;
      if (meets_both && !has_zero_in_data[i] && is_zero(element<T>(in_order_.data(), i)))
        verdicts[i] = OrderDependence::yes;
    }
  });
}

void DependenceJudge::judge_arithmetic(Terms& terms, Verdicts verdicts) {
  try_orders(terms, verdicts);
  constexpr std::int64_t all_tried = 3;
  if (terms.updates() <= all_tried || all_are(verdicts, OrderDependence::yes)) return;
  const std::vector<bool> exact = exact_columns(type_.dtype, reduction_, terms);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i] == OrderDependence::no && !exact[i]) verdicts[i] = OrderDependence::unknown;
  }
  if (any_is(verdicts, OrderDependence::unknown)) settle(terms, verdicts);
}

void DependenceJudge::try_orders(Terms& terms, Verdicts verdicts) {
  result(terms, RegularOrder{});
  std::swap(in_order_, other_);
  for (const RegularOrder order : regular_orders(terms.updates())) {
    mark_differences(in_order_.data(), result(terms, order), verdicts);
    if (all_are(verdicts, OrderDependence::yes)) return;
  }
}

// Decides columns that the tried orders and the magnitudes leave open: those whose updates are all
// equal, or few enough to try every order.
void DependenceJudge::settle(Terms& terms, Verdicts verdicts) {
  std::vector<OrderDependence> overwriting(verdicts.size(), OrderDependence::no);
  judge_overwriting(terms, overwriting);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const bool all_equal = overwriting[i] == OrderDependence::no;
    if (verdicts[i] == OrderDependence::unknown && all_equal) verdicts[i] = OrderDependence::no;
  }
  if (terms.updates() > std::int64_t{exact_writers} || !any_is(verdicts, OrderDependence::unknown))
    return;
  visit_dtype(type_.dtype, [&]<class T>() {
    if constexpr (orders_matter_v<T>) decide<T>(terms, reduction_, verdicts);
  });
}

}  // namespace tscatter::orders
