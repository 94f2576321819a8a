// ElementJudge's members, for the files that instantiate it.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <optional>

#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/kernels/quotient.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/kernels/reductions.hpp"
#include "tscatter/orders/element_judge.hpp"
#include "tscatter/orders/find_order.hpp"
#include "tscatter/orders/order_lists.hpp"
#include "tscatter/orders/prescribed.hpp"
#include "tscatter/orders/row_walk.hpp"
#include "tscatter/orders/term_block.hpp"

namespace tscatter::orders {

using Order = std::vector<std::size_t>;

// The judge for T's family; none if orders do not matter.
template <class T>
std::unique_ptr<ReductionJudge<T>> make_reduction_judge(Reduction reduction,
                                                        const JudgeOptions& options) {
  if constexpr (orders_matter_v<T>) {
    switch (info(reduction).effect) {
      case OrderEffect::rounded_sum:
        if constexpr (is_real_v<T>) {
          if (info(reduction).divides) return make_mean_judge<T>(reduction, options);
        }
        return make_sum_judge<T>(reduction, options);
      case OrderEffect::rounded_prod: return make_product_judge<T>(options);
      case OrderEffect::extreme:
        if constexpr (is_real_v<T>) return make_extreme_judge<T>(reduction, options);
        break;
      case OrderEffect::nothing:
      case OrderEffect::last_stays: break;
    }
    assert(false && "a reduction that the dtype does not have");
  }
  return nullptr;
}

// Applies whole orders to a chunk of columns, with the engine's loops.
template <class T>
class OrderTrial {
 public:
  static constexpr std::size_t most_columns = 1024;

  explicit OrderTrial(Reduction reduction)
      : reduction_(reduction), loop_(reduce_loop(dtype_of<T>(), reduction)) {}

  void apply(const TermRows<T>& rows, std::size_t first, std::size_t count, const Order& order) {
    std::copy_n(rows.data.data() + first, count, values_.begin());
    for (const std::size_t k : order) step(values_.data(), rows.terms[k] + first, count);
    divide(values_.data(), rows.divisor, count);
  }

  void divide(T* sums, std::int64_t divisor, std::size_t count) const {
    if (divisor == 1) return;
    for (std::size_t i = 0; i < count; ++i) sums[i] = divided(reduction_, sums[i], divisor);
  }

  void step(T* values, const T* terms, std::size_t count) const {
    loop_(reinterpret_cast<std::byte*>(values), reinterpret_cast<const std::byte*>(terms),
          static_cast<std::int64_t>(count));
  }

  // What was applied last.
  const T* values() const { return values_.data(); }

  // Clears the flags of those that are the same.
  static void compare(const T* values, const T* actual, std::size_t count, std::uint8_t* differs) {
    for (std::size_t i = 0; i < count; ++i)
      differs[i] &= is_same_value(values[i], actual[i]) ? std::uint8_t{0} : std::uint8_t{1};
  }

 private:
  // Compares bits, but bools by whether they are true.
  static bool is_same_value(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, Bool>) {
      return reductions::is_true(a) == reductions::is_true(b);
    } else {
      return same_bits(a, b);
    }
  }

  Reduction reduction_;
  ReduceLoop loop_;
  std::array<T, most_columns> values_{};
};

// Looks for one order that explains all of a few columns, as a runtime that applies whole blocks
// leaves them.
template <class T>
class CommonOrder {
 public:
  static constexpr std::size_t most_columns = 8;
  static constexpr std::size_t most_writers = 8;

  CommonOrder(const OrderTrial<T>& trial, const TermRows<T>& rows,
              std::span<const std::uint32_t> columns)
      : trial_(trial), divisor_(rows.divisor), terms_(rows.writers()), is_used_(rows.writers()) {
    for (std::size_t i = 0; i < most_columns; ++i) {
      const std::uint32_t column = columns[i * columns.size() / most_columns];
      values_[0][i] = rows.data[column];
      actual_[i] = rows.actual[column];
      for (std::size_t k = 0; k < terms_.size(); ++k) terms_[k][i] = rows.terms[k][column];
    }
  }

  std::optional<Order> find() {
    if (!descend()) return std::nullopt;
    return order_;
  }

 private:
  using Lanes = std::array<T, most_columns>;

  bool descend() {
    const std::size_t depth = order_.size();
    if (depth == terms_.size()) {
      trial_.divide(values_[depth].data(), divisor_, most_columns);
      return std::equal(actual_.begin(), actual_.end(), values_[depth].begin(), same_bits<T>);
    }
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      if (is_used_[k]) continue;
      values_[depth + 1] = values_[depth];
      trial_.step(values_[depth + 1].data(), terms_[k].data(), most_columns);
      order_.push_back(k);
      is_used_[k] = true;
      if (descend()) return true;
      is_used_[k] = false;
      order_.pop_back();
    }
    return false;
  }

  const OrderTrial<T>& trial_;
  std::int64_t divisor_;
  std::vector<Lanes> terms_;
  std::vector<bool> is_used_;
  std::array<Lanes, most_writers + 1> values_{};
  Lanes actual_{};
  Order order_;
};

template <class T>
class ElementJudge<T>::State {
 public:
  State(Reduction reduction, const JudgeOptions& options)
      : reduction_(reduction),
        trial_(reduction),
        reduction_judge_(make_reduction_judge<T>(reduction, options)),
        exact_writers_(most_exact_writers(reduction)),
        is_wide_(prescribes_wider<T>(options.accumulation)),
        is_sum_(info(reduction).effect == OrderEffect::rounded_sum && !info(reduction).divides) {}

  std::int64_t judge(const TermRows<T>& rows, std::span<ElementVerdict> verdicts,
                     Reordered reordered) {
    begin(rows);
    differing_.clear();
    counted_ = 0;
    for (std::size_t first = 0; first < rows.columns(); first += chunk) {
      const std::size_t count = std::min(chunk, rows.columns() - first);
      judge_chunk(rows, first, count, verdicts, reordered);
    }
    return counted_;
  }

  bool is_of_last_order(const TermRows<T>& rows) {
    if (last_order_.size() != rows.writers() || rows.writers() > exact_writers_) return false;
    for (std::size_t first = 0; first < rows.columns(); first += chunk) {
      const std::size_t count = std::min(chunk, rows.columns() - first);
      trial_.apply(rows, first, count, last_order_);
      if (std::memcmp(trial_.values(), rows.actual.data() + first, count * sizeof(T)) != 0)
        return false;
    }
    return true;
  }

  void forget() { last_order_.clear(); }

  std::span<const std::uint32_t> differing() const { return differing_; }

 private:
  static constexpr std::size_t chunk = OrderTrial<T>::most_columns;

  static std::size_t most_exact_writers(Reduction reduction) {
    const bool is_product = info(reduction).effect == OrderEffect::rounded_prod;
    return is_complex_v<T> && is_product ? exact_complex_factors : exact_writers;
  }

  void begin(const TermRows<T>& rows) {
    const std::size_t writers = rows.writers();
    if (rows.in_order.empty() && in_order_.size() != writers) in_order_ = first_to_last(writers);
    constexpr std::size_t few = 3;  // have few orders, which are cheaper to try
    may_have_common_ = orders_matter_v<T> && writers > few && is_worth_a_search(writers);
  }

  // If the last blocks had no common order, the next ones seldom do.
  bool is_worth_a_search(std::size_t writers) {
    constexpr std::size_t some = 4;
    constexpr std::size_t cheap = 5;  // writers
    const std::size_t period = writers <= cheap ? 16 : 128;
    return blocks_without_common_ < some || blocks_without_common_++ % period == 0;
  }

  void judge_chunk(const TermRows<T>& rows, std::size_t first, std::size_t count,
                   std::span<ElementVerdict> verdicts, Reordered reordered) {
    const T* in_order = rows.in_order.data() + first;
    if (rows.in_order.empty()) {
      trial_.apply(rows, first, count, in_order_);
      in_order = trial_.values();
    }
    differs_.fill(1);
    compare(in_order, rows, first, count);
    if (reordered == Reordered::counted) {
      const std::size_t differing = count_open(count);
      judge_open(rows, first, count, verdicts);
      list_others(differing, verdicts);
    } else {
      const auto of_order = rows.writers() == 0 ? ElementClass::untouched : ElementClass::in_order;
      std::ranges::fill(verdicts.subspan(first, count), ElementVerdict{.element_class = of_order});
      list_open(first, count);
      for (const std::uint32_t column : open_) verdicts[column] = explained_by_order;
      differing_.insert(differing_.end(), open_.begin(), open_.end());
      judge_open(rows, first, count, verdicts);
    }
  }

  // Of so many columns that differ, lists those that are not reordered, and counts the rest.
  void list_others(std::size_t differing, std::span<const ElementVerdict> verdicts) {
    const std::size_t before = differing_.size();
    std::size_t listed = before;
    differing_.resize(before + open_.size());
    for (const std::uint32_t column : open_) {
      differing_[listed] = column;
      listed += verdicts[column].element_class != ElementClass::reordered ? 1U : 0U;
    }
    differing_.resize(listed);
    counted_ += static_cast<std::int64_t>(differing - (listed - before));
  }

  void call_open_wrong(std::span<ElementVerdict> verdicts) const {
    for (const std::uint32_t column : open_) verdicts[column] = wrong_without_measure;
  }

  // Leaves the list of those that no order explains that was tried here, each with its verdict.
  void judge_open(const TermRows<T>& rows, std::size_t first, std::size_t count,
                  std::span<ElementVerdict> verdicts) {
    if constexpr (orders_matter_v<T>) {
      // The orders that are tried for many columns at once accumulate in T.
      if (!is_wide_) try_orders(rows, first, count);
    }
    list_open(first, count);
    if (open_.empty()) return;
    if (!orders_matter_v<T> || rows.writers() == 0) return call_open_wrong(verdicts);
    reduction_judge_->judge(rows, open_, verdicts);
  }

  void try_orders(const TermRows<T>& rows, std::size_t first, std::size_t count) {
    const std::size_t writers = rows.writers();
    // Beyond exact_writers_, a verdict must not depend on what was judged before.
    if (last_order_.size() == writers && writers <= exact_writers_)
      apply(rows, first, count, {&last_order_, 1});
    if (may_have_common_ && count_open(count) >= CommonOrder<T>::most_columns) {
      may_have_common_ = false;
      list_open(first, count);
      if (find_common(rows)) apply(rows, first, count, {&last_order_, 1});
    }
    // While many columns are open, whole rows are cheaper than gathering columns.
    constexpr std::size_t many = 8;  // an eighth of the columns
    if (writers > 2 && writers <= exact_writers && count_open(count) * many >= count)
      try_some(rows, first, count);
  }

  bool find_common(const TermRows<T>& rows) {
    if (rows.writers() > std::min(CommonOrder<T>::most_writers, exact_writers_)) return false;
    auto order = CommonOrder<T>(trial_, rows, open_).find();
    blocks_without_common_ = order ? 0 : blocks_without_common_ + 1;
    if (!order) return false;
    last_order_ = *std::move(order);
    return true;
  }

  void try_some(const TermRows<T>& rows, std::size_t first, std::size_t count) {
    if constexpr (RowWalk<T>::applies) {
      if (is_sum_) {
        return RowWalk<T>::clear_reached({.data = rows.data.data(),
                                          .terms = rows.terms,
                                          .first = first,
                                          .count = count,
                                          .is_subtracted = info(reduction_).negates},
                                         rows.actual.data() + first, differs_.data());
      }
    }
    constexpr std::size_t most_orders = 6;
    auto& orders = some_orders_[rows.writers()];
    if (orders.empty()) orders = spread_orders(rows.writers(), most_orders);
    apply(rows, first, count, orders);
  }

  void apply(const TermRows<T>& rows, std::size_t first, std::size_t count,
             std::span<const Order> orders) {
    for (const Order& order : orders) {
      trial_.apply(rows, first, count, order);
      compare(trial_.values(), rows, first, count);
    }
  }

  void compare(const T* values, const TermRows<T>& rows, std::size_t first, std::size_t count) {
    vectorised([&] { trial_.compare(values, rows.actual.data() + first, count, differs_.data()); });
  }

  std::size_t count_open(std::size_t count) const {
    return FlagList::count(differs_.data(), count);
  }

  void list_open(std::size_t first, std::size_t count) {
    vectorised([&] {
      open_ = std::span(columns_).first(FlagList::list(
          differs_.data(), count, static_cast<std::uint32_t>(first), columns_.data()));
    });
  }

  Reduction reduction_;
  OrderTrial<T> trial_;
  std::unique_ptr<ReductionJudge<T>> reduction_judge_;
  std::size_t exact_writers_;
  bool is_wide_;
  bool is_sum_;
  Order in_order_;
  Order last_order_;
  std::array<std::vector<Order>, exact_writers + 1> some_orders_;
  bool may_have_common_ = false;
  std::size_t blocks_without_common_ = 0;  // since the last one that had one
  std::vector<std::uint32_t> differing_;
  std::int64_t counted_ = 0;  // of those that were taken off the list
  std::array<std::uint32_t, chunk + FlagList::room_beyond> columns_{};
  std::span<std::uint32_t> open_;              // of columns_
  std::array<std::uint8_t, chunk> differs_{};  // of the columns at hand, from what was tried so far
};

template <class T>
ElementJudge<T>::ElementJudge(Reduction reduction, const JudgeOptions& options)
    : state_(std::make_unique<State>(reduction, options)) {}
template <class T>
ElementJudge<T>::ElementJudge(ElementJudge&&) noexcept = default;
template <class T>
ElementJudge<T>& ElementJudge<T>::operator=(ElementJudge&&) noexcept = default;
template <class T>
ElementJudge<T>::~ElementJudge() = default;

template <class T>
std::int64_t ElementJudge<T>::judge(const TermRows<T>& rows, std::span<ElementVerdict> verdicts,
                                    Reordered reordered) {
  assert(rows.actual.size() == rows.columns() && verdicts.size() == rows.columns());
  return state_->judge(rows, verdicts, reordered);
}
template <class T>
void ElementJudge<T>::forget() {
  state_->forget();
}
template <class T>
std::span<const std::uint32_t> ElementJudge<T>::differing() const {
  return state_->differing();
}
template <class T>
bool ElementJudge<T>::is_of_last_order(const TermRows<T>& rows) {
  return state_->is_of_last_order(rows);
}

}  // namespace tscatter::orders
