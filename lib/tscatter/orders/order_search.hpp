// Searches, a block of columns at a time, for an order of the terms of a sum or product that leaves
// the judged value bit for bit: exactly for up to `exact_writers`, beyond by a few tries.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "tscatter/kernels/path.hpp"
#include "tscatter/orders/order_lists.hpp"
#include "tscatter/orders/order_walk.hpp"
#include "tscatter/orders/real_format.hpp"
#include "tscatter/orders/term_block.hpp"

namespace tscatter::orders {

// One column for OrderSets. A partial sum is alive while the error of the remaining steps can still
// reach the target.
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
    const Wide apart = std::fabs(value - windows_[applied].centre);
    return !(apart > windows_[applied].half_width);
  }

 private:
  // More precise than a lane; `rounding` covers what it loses.
  using Wide = std::conditional_t<sizeof(Lane<T>) < sizeof(double), double, long double>;

  struct Window {
    Wide centre = 0;
    Wide half_width = 0;
  };

  // No step has an error larger than its update, nor all together one larger than `error`.
  void find_windows(Lane<T> data, double error) {
    windows_.resize(std::size_t{1} << terms_.size());
    const std::size_t all = windows_.size() - 1;
    Wide magnitude = std::fabs(data);
    for (const Lane<T> term : terms_) magnitude += std::fabs(term);
    const Wide rounding = magnitude * std::numeric_limits<Wide>::epsilon() * 32;
    windows_[all] = {.centre = target_, .half_width = rounding};
    for (std::size_t applied = all; applied-- > 0;) {
      const auto next = static_cast<std::size_t>(std::countr_one(applied));
      const Window& later = windows_[applied | (std::size_t{1} << next)];
      const Wide step = std::fabs(terms_[next]);
      windows_[applied] = {.centre = later.centre - terms_[next],
                           .half_width = std::min<Wide>(later.half_width + step, error + rounding)};
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
  using Walk = OrderWalk<T, Step>;

  // Removes the columns that an order explains from the block, and calls found(place) for them: for
  // all such columns up to `Walk::most_terms` writers, for most of them beyond.
  template <class Found>
  void search(TermBlock<T>& block, const Found& found) {
    is_open_.fill(1);
    try_orders(block, orders_for(block.writers()), found);
    if (block.count() == 0 || block.writers() > Walk::most_terms) return;
    if (block.writers() > walked_at_once) return walk_orders(block, found);
    Walk::walk(block, is_open_.data());
    settle(block, 1, found);
  }

  // Whether decide() has something to find that search() may have left.
  static bool has_more_to_decide(std::size_t writers) {
    return writers > Walk::most_terms && writers <= exact_writers;
  }

  // Calls found(place) for the other columns that an order explains, for up to
  // `exact_writers`; what stays in the block means nothing. `errors` bounds the total error of a
  // sum's steps, per place. REQUIRES: search() of the block was called; no sum or product is a zero
  // whose sign differs from the target's.
  template <class Found>
  void decide(TermBlock<T>& block, const double* errors, const Found& found) {
    if (!has_more_to_decide(block.writers())) return;
    keep_between(block, found);
    try_shuffles(block, found);
    for (std::size_t j = 0; j < block.count(); ++j) {
      if (is_reached(block, j, errors[block.place(j)])) found(block.place(j));
    }
  }

 private:
  using Range = ResultRange<T, Step>;
  static constexpr std::size_t lanes = Range::lanes;
  using Lanes = typename Range::Lanes;
  // So few have few orders: no range is cheaper than walking through them.
  static constexpr std::size_t walked_at_once = 5;

  using Orders = std::span<const std::size_t>;  // one after the other
  static constexpr std::size_t at_once = 8;     // of them

  // Of up to `exact_writers`: until most columns that have an order are found.
  static constexpr std::array<std::size_t, exact_writers + 1> most_tried{
      0, 0, 0, 0, 0, 0, 16, 48, 1000, 1000, 1000, 1000, 1000};

  Orders orders_for(std::size_t writers) {
    return orders_[std::min(writers, orders_.size() - 1)].of(writers, [](std::size_t n) {
      return n > exact_writers ? tried_orders(n) : spread_orders(n, most_tried[n]);
    });
  }

  template <class Found>
  void try_orders(TermBlock<T>& block, Orders orders, const Found& found) {
    constexpr std::size_t worth_closing_up = 4;  // a fourth of the columns
    while (!orders.empty() && block.count() != 0) {
      const Orders some = orders.first(std::min(orders.size(), at_once * block.writers()));
      Walk::try_orders(block, some, is_open_.data());
      orders = orders.subspan(some.size());
      settle(block, orders.empty() ? 1 : block.count() / worth_closing_up, found);
    }
  }

  // Others than orders_for() has, as long as they are cheaper than the sets. Most columns
  // whose target is between what orders leave have an order, too.
  template <class Found>
  void try_shuffles(TermBlock<T>& block, const Found& found) {
    const std::size_t tried = std::size_t{2} << block.writers();
    Shuffles shuffles(block.writers(), tried);
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < tried && block.count() != 0; i += at_once) {
      some.clear();
      for (std::size_t k = 0; k < at_once; ++k) {
        const auto& order = shuffles.next();
        some.insert(some.end(), order.begin(), order.end());
      }
      try_orders(block, some, found);
    }
  }

  // Removes the explained columns if they are at least so many.
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

  // For the columns whose target is in the range of all results.
  template <class Found>
  void walk_orders(TermBlock<T>& block, const Found& found) {
    walked_ = block;
    visit_ranges(walked_, [&](std::size_t j, Real least, Real greatest) {
      const Real target = walked_.target()[j];
      is_open_[j] = least <= target && target <= greatest ? 1 : 0;
    });
    walked_.keep(is_open_.data());
    is_open_.fill(1);
    Walk::walk(walked_, is_open_.data());
    is_left_.fill(1);
    for (std::size_t j = 0; j < walked_.count(); ++j) is_left_[walked_.place(j)] = is_open_[j];
    for (std::size_t j = 0; j < block.count(); ++j) is_open_[j] = is_left_[block.place(j)];
    settle(block, 1, found);
  }

  // Of the others none has an order, or is left by the one with the least or greatest result.
  template <class Found>
  void keep_between(TermBlock<T>& block, const Found& found) {
    visit_ranges(block, [&](std::size_t j, Real least, Real greatest) {
      const Real target = block.target()[j];
      is_open_[j] = least < target && target < greatest ? 1 : 0;
      if (target == least || target == greatest) found(block.place(j));
    });
    block.keep(is_open_.data());
    is_open_.fill(1);
  }

  // Calls visit(j, least result of all orders, greatest).
  template <class Visit>
  void visit_ranges(const TermBlock<T>& block, const Visit& visit) {
    for (std::size_t first = 0; first < block.count(); first += lanes) {
      const std::size_t count = std::min(lanes, block.count() - first);
      gather_lanes(block, first, count);
      range_.find(data_, std::span(terms_).first(writers_));
      for (std::size_t i = 0; i < count; ++i) {
        visit(first + i, range_.least()[i], range_.greatest()[i]);
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

  void gather_lanes(const TermBlock<T>& block, std::size_t first, std::size_t count) {
    writers_ = block.writers();
    terms_.fill({});
    for (std::size_t k = 0; k < writers_; ++k) {
      std::copy_n(block.term(k) + first, count, terms_[k].begin());
    }
    data_.fill(0);
    std::copy_n(block.data() + first, count, data_.begin());
  }

  // Made once for a number of writers.
  class OrderList {
   public:
    template <class Make>
    Orders of(std::size_t writers, const Make& make) {
      if (writers_ == writers) return orders_;
      writers_ = writers;
      orders_.clear();
      for (const auto& order : make(writers))
        orders_.insert(orders_.end(), order.begin(), order.end());
      return orders_;
    }

   private:
    std::size_t writers_ = 0;
    std::vector<std::size_t> orders_;
  };

  std::array<OrderList, exact_writers + 2> orders_;  // the last one: of more writers
  TermBlock<T> walked_;
  using Flags = std::array<std::uint8_t, TermBlock<T>::most_columns>;
  Flags is_open_;
  Flags is_left_;  // by place

  // Of the lanes at hand.
  std::size_t writers_ = 0;
  Lanes data_;
  std::array<Lanes, exact_writers> terms_;
  Range range_;
};

}  // namespace tscatter::orders
