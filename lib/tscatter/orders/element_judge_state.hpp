// ElementJudge's members, for the files that instantiate it. Not part of the installed interface.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <numeric>
#include <optional>

#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/quotient.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/kernels/reductions.hpp"
#include "tscatter/orders/element_judge.hpp"
#include "tscatter/orders/find_order.hpp"
#include "tscatter/orders/order_lists.hpp"
#include "tscatter/orders/prescribed.hpp"
#include "tscatter/orders/reduction_judge.hpp"
#include "tscatter/orders/row_walk.hpp"

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

  explicit OrderTrial(Reduction reduction) : loop_(reduce_loop(dtype_of<T>(), reduction)) {}

  void apply(const TermRows<T>& rows, std::size_t first, std::size_t count, const Order& order) {
    std::copy_n(rows.data.data() + first, count, values_.begin());
    for (const std::size_t k : order) step(values_.data(), rows.terms[k] + first, count);
    divide(values_.data(), rows.divisor, count);
  }

  static void divide(T* sums, std::int64_t divisor, std::size_t count) {
    if (divisor == 1) return;
    for (std::size_t i = 0; i < count; ++i) sums[i] = quotient(sums[i], divisor);
  }

  void step(T* values, const T* terms, std::size_t count) const {
    loop_(reinterpret_cast<std::byte*>(values), reinterpret_cast<const std::byte*>(terms),
          static_cast<std::int64_t>(count));
  }

  // What was applied last.
  const T* values() const { return values_.data(); }

  // As wide as an element, so that a vector of comparisons is a vector of flags.
  using Flag = ElementBits<is_complex_v<T> ? sizeof(T) / 2 : sizeof(T)>;

  // Sets the flags of those that are the same.
  static void compare(const T* values, const T* actual, std::size_t count, Flag* is_same) {
    for (std::size_t i = 0; i < count; ++i) {
      is_same[i] |= is_same_value(values[i], actual[i]) ? Flag{1} : Flag{0};
    }
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
        is_wide_(prescribes_wider<T>(options.accumulation)) {}

  std::int64_t judge(const TermRows<T>& rows, std::span<ElementVerdict> verdicts,
                     Reordered reordered) {
    begin(rows);
    differing_.clear();
    std::int64_t counted = 0;
    for (std::size_t first = 0; first < rows.columns(); first += chunk) {
      const std::size_t count = std::min(chunk, rows.columns() - first);
      if (reordered == Reordered::counted && walks(rows)) {
        if (const auto found = judge_walked(rows, first, count, verdicts)) {
          counted += *found;
          continue;
        }
      }
      judge_chunk(rows, first, count, verdicts);
    }
    return counted;
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

  // Sums of rows in memory that no common order may explain.
  bool walks(const TermRows<T>& rows) const {
    const std::size_t writers = rows.writers();
    return RowWalk<T>::walks(reduction_) && !is_wide_ && !rows.in_order.empty() && writers > 1 &&
           writers <= RowWalk<T>::most_terms && last_order_.size() != writers && !may_have_common_;
  }

  // Returns how many columns are reordered; lists the others that differ. Nothing if a value is
  // not finite.
  std::optional<std::int64_t> judge_walked(const TermRows<T>& rows, std::size_t first,
                                           std::size_t count, std::span<ElementVerdict> verdicts) {
    if constexpr (RowWalk<T>::applies) {
      open_.resize(count + RowWalk<T>::room_beyond);
      const bool is_subtracted = info(reduction_).negates;
      const auto reached = RowWalk<T>::find_unreached({.data = rows.data.data(),
                                                       .terms = rows.terms,
                                                       .first = first,
                                                       .count = count,
                                                       .is_subtracted = is_subtracted},
                                                      rows.actual.data() + first,
                                                      rows.in_order.data() + first, open_.data());
      open_.resize(reached.unreached);
      if (!reached.is_finite) return std::nullopt;
      if (!open_.empty()) reduction_judge_->judge(rows, open_, verdicts);
      const std::size_t listed = differing_.size();
      for (const std::uint32_t column : open_) {
        if (verdicts[column].element_class != ElementClass::reordered) differing_.push_back(column);
      }
      return static_cast<std::int64_t>(reached.differing - (differing_.size() - listed));
    }
    return std::nullopt;
  }

  void judge_chunk(const TermRows<T>& rows, std::size_t first, std::size_t count,
                   std::span<ElementVerdict> verdicts) {
    open_.resize(count);
    std::iota(open_.begin(), open_.end(), static_cast<std::uint32_t>(first));
    const auto of_order = rows.writers() == 0 ? ElementClass::untouched : ElementClass::in_order;
    std::ranges::fill(verdicts.subspan(first, count), ElementVerdict{.element_class = of_order});
    const T* in_order = rows.in_order.data() + first;
    if (rows.in_order.empty()) {
      trial_.apply(rows, first, count, in_order_);
      in_order = trial_.values();
    }
    is_same_.fill(0);
    flag_same(in_order, rows, first, count);
    keep_open(first);
    differing_.insert(differing_.end(), open_.begin(), open_.end());
    if constexpr (orders_matter_v<T>) {
      judge_open(rows, first, count, verdicts);
    } else {
      call_open_wrong(verdicts);
    }
  }

  void call_open_wrong(std::span<ElementVerdict> verdicts) const {
    for (const std::uint32_t column : open_) verdicts[column] = wrong_without_measure;
  }

  void judge_open(const TermRows<T>& rows, std::size_t first, std::size_t count,
                  std::span<ElementVerdict> verdicts) {
    const std::size_t writers = rows.writers();
    if (is_wide_) return judge_wide(rows, verdicts);
    // Beyond exact_writers_, a verdict must not depend on what was judged before.
    if (last_order_.size() == writers && !open_.empty() && writers <= exact_writers_) {
      apply(rows, first, count, {&last_order_, 1}, verdicts);
    }
    if (may_have_common_ && open_.size() >= CommonOrder<T>::most_columns) {
      may_have_common_ = false;
      if (find_common(rows)) apply(rows, first, count, {&last_order_, 1}, verdicts);
    }
    if (writers > 2 && writers <= exact_writers) try_some(rows, first, count, verdicts);
    if (open_.empty()) return;
    if (writers == 0) return call_open_wrong(verdicts);
    reduction_judge_->judge(rows, open_, verdicts);
  }

  // The orders that are tried for many columns at once accumulate in T.
  void judge_wide(const TermRows<T>& rows, std::span<ElementVerdict> verdicts) {
    if (open_.empty()) return;
    if (rows.writers() == 0) return call_open_wrong(verdicts);
    reduction_judge_->judge(rows, open_, verdicts);
  }

  bool find_common(const TermRows<T>& rows) {
    if (rows.writers() > std::min(CommonOrder<T>::most_writers, exact_writers_)) return false;
    auto order = CommonOrder<T>(trial_, rows, open_).find();
    blocks_without_common_ = order ? 0 : blocks_without_common_ + 1;
    if (!order) return false;
    last_order_ = *std::move(order);
    return true;
  }

  // While many columns are open, whole rows are cheaper than gathering columns.
  void try_some(const TermRows<T>& rows, std::size_t first, std::size_t count,
                std::span<ElementVerdict> verdicts) {
    constexpr std::size_t many = 8;  // an eighth of the columns
    constexpr std::size_t most_orders = 6;
    if (open_.size() * many < count) return;
    auto& orders = some_orders_[rows.writers()];
    if (orders.empty()) orders = spread_orders(rows.writers(), most_orders);
    apply(rows, first, count, orders, verdicts);
  }

  // Removes the columns that one of the orders explains.
  void apply(const TermRows<T>& rows, std::size_t first, std::size_t count,
             std::span<const Order> orders, std::span<ElementVerdict> verdicts) {
    is_same_.fill(0);
    for (const Order& order : orders) {
      trial_.apply(rows, first, count, order);
      flag_same(trial_.values(), rows, first, count);
    }
    for (const std::uint32_t column : open_) verdicts[column] = explained_by_order;
    keep_open(first);
  }

  void flag_same(const T* values, const TermRows<T>& rows, std::size_t first, std::size_t count) {
    trial_.compare(values, rows.actual.data() + first, count, is_same_.data());
  }

  void keep_open(std::size_t first) {
    std::size_t open = 0;
    for (const std::uint32_t column : open_) {
      open_[open] = column;
      open += is_same_[column - first] == 0 ? 1U : 0U;
    }
    open_.resize(open);
  }

  Reduction reduction_;
  OrderTrial<T> trial_;
  std::unique_ptr<ReductionJudge<T>> reduction_judge_;
  std::size_t exact_writers_;
  bool is_wide_;
  Order in_order_;
  Order last_order_;
  std::array<std::vector<Order>, exact_writers + 1> some_orders_;
  bool may_have_common_ = false;
  std::size_t blocks_without_common_ = 0;  // since the last one that had one
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> differing_;
  std::array<typename OrderTrial<T>::Flag, chunk> is_same_{};
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
