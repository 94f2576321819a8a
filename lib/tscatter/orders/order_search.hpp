// Looks for an order of the terms of a sum or product that leaves the judged value bit for bit, a
// block of columns at a time: exactly for up to `exact_writers`, by a few tries beyond. Not part of
// the installed interface.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "tscatter/kernels/path.hpp"
#include "tscatter/orders/order_sets.hpp"
#include "tscatter/orders/real_format.hpp"
#include "tscatter/orders/term_block.hpp"

namespace tscatter::orders {

inline constexpr std::size_t exact_writers = 12;
inline constexpr std::size_t enumerated_writers = 6;

// The same orders on every machine: which of them explains an element may be reported.
inline std::vector<std::vector<std::size_t>> tried_orders(std::size_t writers) {
  constexpr std::size_t most_writers = std::size_t{1} << 16U;  // more would take much memory
  if (writers > most_writers) return {};
  constexpr std::size_t shuffles_of_few = 240;  // cheap beside the sets of a dozen writers
  constexpr std::size_t shuffles_of_many = 6;
  std::vector<std::size_t> order(writers);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::vector<std::size_t>> orders{{order.rbegin(), order.rend()}};
  if (writers <= enumerated_writers) {
    while (std::next_permutation(order.begin(), order.end())) orders.push_back(order);
    return orders;
  }
  std::uint64_t state = writers;
  const std::size_t shuffles = writers <= exact_writers ? shuffles_of_few : shuffles_of_many;
  for (std::size_t tried = 0; tried < shuffles; ++tried) {
    for (std::size_t i = writers; i > 1; --i) {
      state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
      std::swap(order[i - 1], order[(state >> 33U) % i]);
    }
    orders.push_back(order);
  }
  return orders;
}

// One accumulator's step, on finite terms: a rounded sum, or a rounded product of magnitudes. Both
// grow with the accumulator.
template <class T>
struct SumStep {
  static Lane<T> apply(Lane<T> value, Lane<T> term) { return rounded<T>(value + term); }
};
template <class T>
struct ProductStep {
  static Lane<T> apply(Lane<T> value, Lane<T> term) { return rounded<T>(value * term); }
};

// One column as OrderSets takes it. A partial sum is alive while the target is within what the
// steps that are left can err.
template <class T, class Step>
class ColumnArithmetic {
 public:
  static constexpr bool is_sum = std::is_same_v<Step, SumStep<T>>;

  ColumnArithmetic(const TermBlock<T>& block, std::size_t column, double error)
      : terms_(block.writers()), target_(block.target()[column]) {
    for (std::size_t k = 0; k < terms_.size(); ++k) terms_[k] = block.term(k)[column];
    if constexpr (is_sum) find_windows(block.data()[column], error);
  }

  Lane<T> apply(Lane<T> value, std::size_t k) const { return Step::apply(value, terms_[k]); }
  static bool before(Lane<T> a, Lane<T> b) { return lane_bits(a) < lane_bits(b); }
  bool alive(Lane<T> value, std::size_t applied) const {
    if (!is_sum) return true;
    const long double apart = std::fabs(value - windows_[applied].centre);
    return !(apart > windows_[applied].half_width);
  }

 private:
  struct Window {
    long double centre = 0;
    long double half_width = 0;
  };

  // No step errs by more than the update, nor all together by more than `error`.
  void find_windows(Lane<T> data, double error) {
    windows_.resize(std::size_t{1} << terms_.size());
    const std::size_t all = windows_.size() - 1;
    long double magnitude = std::fabs(data);
    for (const Lane<T> term : terms_) magnitude += std::fabs(term);
    const long double rounding = magnitude * std::numeric_limits<long double>::epsilon() * 32;
    windows_[all] = {.centre = target_, .half_width = rounding};
    for (std::size_t applied = all; applied-- > 0;) {
      const auto next = static_cast<std::size_t>(std::countr_one(applied));
      const Window& later = windows_[applied | (std::size_t{1} << next)];
      const long double step = std::fabs(terms_[next]);
      windows_[applied] = {
          .centre = later.centre - terms_[next],
          .half_width = std::min<long double>(later.half_width + step, error + rounding)};
    }
  }

  std::vector<Lane<T>> terms_;
  std::vector<Window> windows_;
  Lane<T> target_;
};

template <class T, class Step>
class OrderSearch {
 public:
  using Real = Lane<T>;

  // Takes the columns out of the block that an order explains, and calls found(place) for them.
  // `errors` are bounds of what the steps of a sum together can err by, per place; no sum or
  // product is zero only by its sign.
  template <class Found>
  void search(TermBlock<T>& block, const double* errors, const Found& found) {
    if (orders_.empty() || orders_.front().size() != block.writers()) {
      orders_ = tried_orders(block.writers());
    }
    is_open_.fill(1);
    for (const auto& order : orders_) {
      if (block.count() == 0) return;
      try_order(block, order);
      constexpr std::size_t worth_closing_up = 4;  // a fourth of the columns
      settle(block, block.count() / worth_closing_up, found);
    }
    settle(block, 1, found);
    if (block.writers() <= enumerated_writers || block.count() == 0) return;
    if (block.writers() <= exact_writers) decide(block, errors, found);
  }

 private:
  static constexpr std::size_t lanes = 8;
  using Lanes = std::array<Real, lanes>;

  // Takes the columns out that are explained, where they are at least so many.
  template <class Found>
  void settle(TermBlock<T>& block, std::size_t least, const Found& found) {
    std::size_t explained = 0;
    for (std::size_t j = 0; j < block.count(); ++j) explained += is_open_[j] == 0 ? 1U : 0U;
    if (explained < std::max<std::size_t>(least, 1)) return;
    for (std::size_t j = 0; j < block.count(); ++j) {
      if (is_open_[j] == 0) found(block.place(j));
    }
    block.keep(is_open_.data());
    is_open_.fill(1);
  }

  using Columns = std::array<Real, TermBlock<T>::most_columns>;

  void try_order(const TermBlock<T>& block, const std::vector<std::size_t>& order) {
#if defined(__x86_64__)
    if (has_avx2_) return try_order_avx2(block, order);
#endif
    try_order_portable(block, order);
  }

  [[gnu::flatten]] void try_order_portable(const TermBlock<T>& block,
                                           std::span<const std::size_t> order) {
    apply_order(block, order, sums_.data(), is_open_.data());
  }
#if defined(__x86_64__)
  [[gnu::flatten, gnu::target("avx2")]] void try_order_avx2(const TermBlock<T>& block,
                                                            std::span<const std::size_t> order) {
    apply_order(block, order, sums_.data(), is_open_.data());
  }
#endif

  static void apply_order(const TermBlock<T>& block, std::span<const std::size_t> order, Real* sums,
                          std::uint8_t* is_open) {
    const std::size_t count = block.count();
    std::copy_n(block.data(), count, sums);
    for (const std::size_t k : order) {
      const Real* const terms = block.term(k);
      for (std::size_t j = 0; j < count; ++j) sums[j] = Step::apply(sums[j], terms[j]);
    }
    const Real* const target = block.target();
    for (std::size_t j = 0; j < count; ++j) {
      const bool differs = lane_bits(sums[j]) != lane_bits(target[j]);
      is_open[j] = differs ? is_open[j] : std::uint8_t{0};
    }
  }

  // Between the least and the greatest sum, which are reached, the sets decide.
  template <class Found>
  void decide(TermBlock<T>& block, const double* errors, const Found& found) {
    for (std::size_t first = 0; first < block.count(); first += lanes) {
      const std::size_t count = std::min(lanes, block.count() - first);
      find_range(block, first, count);
      for (std::size_t i = 0; i < count; ++i) {
        const Real target = block.target()[first + i];
        const bool is_end = target == least_.back()[i] || target == greatest_.back()[i];
        if (target < least_.back()[i] || target > greatest_.back()[i]) continue;
        if (is_end || is_reached(block, first + i, errors[block.place(first + i)])) {
          found(block.place(first + i));
        }
      }
    }
  }

  static bool is_reached(const TermBlock<T>& block, std::size_t j, double error) {
    const ColumnArithmetic<T, Step> arithmetic(block, j, error);
    const OrderSets<Real, ColumnArithmetic<T, Step>> sets(block.writers(), block.data()[j],
                                                          arithmetic);
    const auto results = sets.is_complete() ? sets.results() : std::span<const Real>{};
    const auto is_target = [&](Real value) {
      return lane_bits(value) == lane_bits(block.target()[j]);
    };
    return std::any_of(results.begin(), results.end(), is_target);
  }

  // A rounded sum grows with its operands: the least (greatest) sum of a set of terms comes from
  // the least (greatest) sum of all of them but the last.
  void find_range(const TermBlock<T>& block, std::size_t first, std::size_t count) {
    least_.resize(std::size_t{1} << block.writers());
    greatest_.resize(least_.size());
    terms_.fill({});
    for (std::size_t k = 0; k < block.writers(); ++k) {
      std::copy_n(block.term(k) + first, count, terms_[k].begin());
    }
    least_[0].fill(0);
    std::copy_n(block.data() + first, count, least_[0].begin());
    greatest_[0] = least_[0];
#if defined(__x86_64__)
    if (has_avx2_) return find_all_avx2();
#endif
    find_all_portable();
  }

  [[gnu::flatten]] void find_all_portable() {
    for (std::size_t applied = 1; applied < least_.size(); ++applied) find_range_of(applied);
  }
#if defined(__x86_64__)
  [[gnu::flatten, gnu::target("avx2")]] void find_all_avx2() {
    for (std::size_t applied = 1; applied < least_.size(); ++applied) find_range_of(applied);
  }
#endif

  void find_range_of(std::size_t applied) {
    Lanes low;
    Lanes high;
    low.fill(std::numeric_limits<Real>::infinity());
    high.fill(-std::numeric_limits<Real>::infinity());
    for (std::size_t rest = applied; rest != 0; rest &= rest - 1) {
      const auto last = static_cast<std::size_t>(std::countr_zero(rest));
      const Lanes& low_before = least_[applied ^ (std::size_t{1} << last)];
      const Lanes& high_before = greatest_[applied ^ (std::size_t{1} << last)];
      for (std::size_t i = 0; i < lanes; ++i) {
        const Real smaller = Step::apply(low_before[i], terms_[last][i]);
        const Real larger = Step::apply(high_before[i], terms_[last][i]);
        low[i] = smaller < low[i] ? smaller : low[i];
        high[i] = larger > high[i] ? larger : high[i];
      }
    }
    least_[applied] = low;
    greatest_[applied] = high;
  }

  bool has_avx2_ = kernel_path_name() == "avx2";
  std::vector<std::vector<std::size_t>> orders_;
  Columns sums_;
  std::array<std::uint8_t, TermBlock<T>::most_columns> is_open_;
  std::vector<Lanes> least_;
  std::vector<Lanes> greatest_;
  std::array<Lanes, exact_writers> terms_;
};

}  // namespace tscatter::orders
