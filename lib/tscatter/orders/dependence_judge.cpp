#include "tscatter/orders/dependence_judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/orders/find_order.hpp"
#include "tscatter/orders/row_walk.hpp"

namespace tscatter::orders {
namespace {

using Verdicts = std::span<OrderDependence>;

bool all_are(Verdicts verdicts, OrderDependence verdict) {
  return std::ranges::all_of(verdicts, [=](OrderDependence each) { return each == verdict; });
}

bool any_is(Verdicts verdicts, OrderDependence verdict) {
  return std::ranges::count(verdicts, verdict) > 0;
}

// The zeros and NaN among a column's updates.
template <class T>
struct Special {
  bool has_positive_zero = false;
  bool has_negative_zero = false;
  bool has_number = false;
  std::optional<T> nan = {};  // the first
  bool has_other_nan = false;

  void note(T value) {
    const auto real = static_cast<double>(value);
    if (std::isnan(real)) {
      if (!nan) nan = value;
      has_other_nan = has_other_nan || !same_bits(*nan, value);
    } else {
      has_number = true;
      if (real == 0) (std::signbit(real) ? has_negative_zero : has_positive_zero) = true;
    }
  }
};

template <class T>
T element(const std::byte* row, std::size_t column) {
  T value;
  std::memcpy(&value, row + column * sizeof(T), sizeof(T));
  return value;
}

template <class T>
bool is_aligned_for(const std::byte* row) {
  return reinterpret_cast<std::uintptr_t>(row) % alignof(T) == 0;
}

// Marks the columns that have a bit set.
template <class Word>
void mark_words(const std::byte* bits, Verdicts verdicts) {
  for (std::size_t column = 0; column < verdicts.size(); ++column) {
    const bool differs = element<Word>(bits, column) != 0;
    verdicts[column] = differs ? OrderDependence::yes : verdicts[column];
  }
}

bool is_power_of_two(std::int64_t number) { return (number & (number - 1)) == 0; }

template <class T>
bool is_zero(T value) {
  return static_cast<double>(value) == 0;
}

// Whether min or max of these updates after `data` depends on their order; `result` is from the
// order of the entries. Equal values have the same bits unless they are zeros.
template <class T>
bool is_ordered(Extremes family, T data, const Special<T>& updates, T result) {
  const bool meets_both_zeros = updates.has_positive_zero && updates.has_negative_zero;
  const bool is_nan_in_data = std::isnan(static_cast<double>(data));
  const bool chooses_zero = meets_both_zeros && is_zero(result);
  switch (family) {
    // NaN of updates are ignored. The first zero stays, data's before all.
    case Extremes::data:
    case Extremes::ignore: return chooses_zero && !is_zero(data);
    // What comes after the last NaN stays; of zeros the last.
    case Extremes::update:
      return updates.nan ? updates.has_number || updates.has_other_nan : chooses_zero;
    case Extremes::propagate:
      if (is_nan_in_data || updates.nan) return !is_nan_in_data && updates.has_other_nan;
      return chooses_zero && !is_zero(data);
    case Extremes::ieee: return !is_nan_in_data && updates.has_other_nan;
  }
  unreachable();
}

// The unknown columns, packed: one row after another, data's first.
template <class T>
std::vector<T> unknown_columns(TermTable& terms, Verdicts verdicts) {
  std::vector<std::size_t> unknown;
  for (std::size_t column = 0; column < verdicts.size(); ++column) {
    if (verdicts[column] == OrderDependence::unknown) unknown.push_back(column);
  }
  std::vector<T> values;
  values.reserve(unknown.size() * static_cast<std::size_t>(terms.updates() + 1));
  const auto take = [&](const std::byte* row) {
    for (const std::size_t column : unknown) values.push_back(element<T>(row, column));
  };
  take(terms.data());
  for (std::int64_t k = 0; k < terms.updates(); ++k) take(terms.update(k));
  return values;
}

// The unknown columns by themselves, and what is decided of them.
template <class T>
struct UnknownColumns {
  UnknownColumns(TermTable& terms, Verdicts verdicts)
      : values{unknown_columns<T>(terms, verdicts)},
        results(values.size() / static_cast<std::size_t>(terms.updates() + 1)) {}

  void put(Verdicts verdicts) const {
    auto result = results.begin();
    for (OrderDependence& verdict : verdicts) {
      if (verdict == OrderDependence::unknown) verdict = *result++;
    }
  }

  std::vector<T> values;
  std::vector<OrderDependence> results;
};

// Tries every order for the unknown columns.
template <class T>
void decide(TermTable& terms, const Combination& combination, DType dtype, Verdicts verdicts) {
  UnknownColumns<T> unknown(terms, verdicts);
  const std::size_t columns = unknown.results.size();
  std::vector<const T*> rows;
  for (std::size_t begin = columns; begin < unknown.values.size(); begin += columns)
    rows.push_back(unknown.values.data() + begin);
  const std::span<const T> data(unknown.values.data(), columns);
  find_dependence<T>({.reduction = combination.reduction,
                      .accumulation = combination.accumulation,
                      .rounds_sum = combination.mean.rounds_sum()},
                     {.data = data,
                      .actual = {},
                      .terms = rows,
                      .divisor = divisor_of(combination.division(dtype), terms.updates())},
                     unknown.results);
  unknown.put(verdicts);
}

// Calls function.operator()<T>(). REQUIRES: dtype is real.
template <class Function>
void visit_real(DType dtype, const Function& function) {
  visit_dtype(dtype, [&]<class T>() {
    if constexpr (is_real_v<T>) function.template operator()<T>();
  });
}

}  // namespace

DependenceJudge::DependenceJudge(const ElementType& type, const Combination& combination)
    : type_{type}, combination_{combination}, value_{type, combination} {}

void DependenceJudge::judge(TermTable& terms, Verdicts verdicts) {
  std::ranges::fill(verdicts, OrderDependence::no);
  switch (order_effect(combination_.reduction, type_.dtype)) {
    case OrderEffect::nothing: return;
    case OrderEffect::last_stays: return judge_overwriting(terms, verdicts);
    case OrderEffect::extreme: return judge_extremes(terms, verdicts);
    case OrderEffect::rounded_sum:
    case OrderEffect::rounded_prod: return judge_arithmetic(terms, verdicts);
  }
}

const std::byte* DependenceJudge::result(TermTable& terms, const Order& order) {
  const std::int64_t n = terms.updates();
  if (value_.overwrites()) return terms.update(order(n - 1));
  value_.begin({terms.data(), terms.columns() * type_.size});
  for (std::int64_t k = 0; k < n; ++k) value_.apply(terms.update(order(k)));
  value_.divide(value_.divisor_after(n));
  return value_.rounded().data();
}

void DependenceJudge::begin_differences(std::size_t columns) {
  difference_.assign(columns * type_.size, std::byte{0});
}

// Of many rows: which columns differ is looked up once, by mark_differences().
void DependenceJudge::add_differences(const std::byte* a, const std::byte* b) {
  vectorised([&] {
    std::byte* const into = difference_.data();
    const std::size_t size = difference_.size();
    const std::byte* const one = a;  // what is written might be the pointers themselves
    const std::byte* const other = b;
    for (std::size_t i = 0; i < size; ++i) into[i] |= one[i] ^ other[i];
  });
}

void DependenceJudge::mark_differences(Verdicts verdicts) const {
  const std::byte* const bits = difference_.data();
  switch (type_.size) {
    case 1: return mark_words<std::uint8_t>(bits, verdicts);
    case 2: return mark_words<std::uint16_t>(bits, verdicts);
    case 4: return mark_words<std::uint32_t>(bits, verdicts);
    case 8: return mark_words<std::uint64_t>(bits, verdicts);
    default: break;
  }
  const auto is_set = [](std::byte each) { return each != std::byte{0}; };
  for (std::size_t column = 0; column < verdicts.size(); ++column) {
    const std::byte* const element = bits + column * type_.size;
    if (std::any_of(element, element + type_.size, is_set)) verdicts[column] = OrderDependence::yes;
  }
}

// Any of the updates may come last.
void DependenceJudge::judge_overwriting(TermTable& terms, Verdicts verdicts) {
  const std::byte* first = terms.update(0);
  in_order_.assign(first, first + verdicts.size() * type_.size);
  begin_differences(verdicts.size());
  for (std::int64_t k = 1; k < terms.updates(); ++k) {
    add_differences(in_order_.data(), terms.update(k));
    if (k + 1 < terms.updates() && !is_power_of_two(k)) continue;
    mark_differences(verdicts);
    if (all_are(verdicts, OrderDependence::yes)) return;
  }
}

void DependenceJudge::judge_extremes(TermTable& terms, Verdicts verdicts) {
  value_.begin({terms.data(), verdicts.size() * type_.size});
  visit_real(type_.dtype, [&]<class T>() {
    std::vector<Special<T>> special(verdicts.size());
    std::vector<T> before;
    for (std::size_t i = 0; i < special.size(); ++i)
      before.push_back(element<T>(value_.met().data(), i));
    for (std::int64_t k = 0; k < terms.updates(); ++k) {
      const std::byte* update = terms.update(k);
      for (std::size_t i = 0; i < special.size(); ++i) special[i].note(element<T>(update, i));
      value_.apply(update);
    }
    const Extremes family = info(combination_.reduction).extremes;
    for (std::size_t i = 0; i < special.size(); ++i) {
      if (is_ordered(family, before[i], special[i], element<T>(value_.met().data(), i)))
        verdicts[i] = OrderDependence::yes;
    }
  });
}

void DependenceJudge::judge_arithmetic(TermTable& terms, Verdicts verdicts) {
  std::int64_t all_tried = 3;
  if (walk_rows(terms, verdicts)) {
    all_tried = RowWalk<float>::all_orders_of;
  } else {
    try_orders(terms, verdicts);
  }
  if (terms.updates() <= all_tried || all_are(verdicts, OrderDependence::yes)) return;
  std::ranges::replace(verdicts, OrderDependence::no, OrderDependence::unknown);
  decide_finite(terms, verdicts);
  if (!any_is(verdicts, OrderDependence::unknown)) return;
  const std::vector<bool> exact = exact_columns(type_.dtype, combination_.reduction, terms);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i] == OrderDependence::unknown && exact[i]) verdicts[i] = OrderDependence::no;
  }
  if (any_is(verdicts, OrderDependence::unknown)) settle(terms, verdicts);
}

// Of few updates, by the least and the greatest result of all orders.
void DependenceJudge::decide_finite(TermTable& terms, Verdicts verdicts) const {
  if (terms.updates() > std::int64_t{exact_writers} || value_.is_wide()) return;
  visit_real(type_.dtype, [&]<class T>() {
    UnknownColumns<T> unknown(terms, verdicts);
    decide_by_ranges<T>(combination_.reduction, value_.divisor_after(terms.updates()),
                        unknown.values, unknown.results);
    unknown.put(verdicts);
  });
}

// Of sums of rows that lie in memory. Returns false where orders must be tried one by one.
bool DependenceJudge::walk_rows(TermTable& terms, Verdicts verdicts) {
  const Reduction reduction = combination_.reduction;
  const std::int64_t updates = terms.updates();
  if (value_.is_wide() || !terms.stays()) return false;
  if (updates < 2 || updates > std::int64_t{exact_writers}) return false;
  bool is_decided = false;
  visit_real(type_.dtype, [&]<class T>() {
    if constexpr (RowWalk<T>::applies) {
      if (!RowWalk<T>::walks(reduction)) return;
      std::array<const T*, RowWalk<T>::most_terms> rows{};
      bool is_aligned = is_aligned_for<T>(terms.data());
      for (std::int64_t k = 0; k < updates; ++k) {
        is_aligned = is_aligned && is_aligned_for<T>(terms.update(k));
        rows[static_cast<std::size_t>(k)] = reinterpret_cast<const T*>(terms.update(k));
      }
      if (!is_aligned) return;
      is_decided = RowWalk<T>::find_dependent(
          {.data = reinterpret_cast<const T*>(terms.data()),
           .terms = std::span(rows).first(static_cast<std::size_t>(updates)),
           .first = 0,
           .count = verdicts.size(),
           .is_subtracted = info(reduction).negates},
          verdicts.data());
    }
  });
  if (!is_decided) std::ranges::fill(verdicts, OrderDependence::no);
  return is_decided;
}

void DependenceJudge::try_orders(TermTable& terms, Verdicts verdicts) {
  const std::byte* in_order = result(terms, RegularOrder{});
  in_order_.assign(in_order, in_order + verdicts.size() * type_.size);
  begin_differences(verdicts.size());
  for (const RegularOrder order : regular_orders(terms.updates()))
    add_differences(in_order_.data(), result(terms, order));
  mark_differences(verdicts);
}

// Decides columns that the tried orders and the magnitudes leave open: those whose updates are all
// equal, or few enough to try every order.
void DependenceJudge::settle(TermTable& terms, Verdicts verdicts) {
  std::vector<OrderDependence> overwriting(verdicts.size(), OrderDependence::no);
  judge_overwriting(terms, overwriting);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const bool all_equal = overwriting[i] == OrderDependence::no;
    if (verdicts[i] == OrderDependence::unknown && all_equal) verdicts[i] = OrderDependence::no;
  }
  if (terms.updates() > std::int64_t{exact_writers} || !any_is(verdicts, OrderDependence::unknown))
    return;
  visit_dtype(type_.dtype, [&]<class T>() {
    if constexpr (orders_matter_v<T>) decide<T>(terms, combination_, type_.dtype, verdicts);
  });
}

}  // namespace tscatter::orders
