// The bounds of docs/decisions (41) for sums, a block of columns at a time, in float64: the
// distance of the judged value from the exact sum, and the largest distance of each way of
// accumulating. All errors here are on the lenient side.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tscatter/orders/element_judge.hpp"
#include "tscatter/orders/real_format.hpp"
#include "tscatter/orders/scaled.hpp"
#include "tscatter/orders/term_block.hpp"

namespace tscatter::orders {

// The greatest power of two < value. REQUIRES: value > 0.
inline double power_below(double value) {
  return floor_power(std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) - 1));
}

// The largest error of rounding a value up to `sum`: half an ulp just below it. 0 if every sum is
// exact: up to twice the least normal number, and if all terms are multiples of a `grid` coarser
// than the half ulp.
template <class T>
double half_ulp(double sum, double unit, double grid) {
  const double half = power_below(sum) * unit;
  return sum <= 2 * RealFormat<T>::normal_min || half < grid ? 0 : half;
}

template <class T>
class SumBounds {
 public:
  static constexpr std::size_t most_columns = TermBlock<T>::most_columns;
  using Column = std::array<double, most_columns>;

  // What covers the roundings of the bounds themselves.
  static double slack_of(std::size_t writers) {
    return 1 + power_of_two(-40) + static_cast<double>(writers) * power_of_two(-50);
  }
  // Of trees some of whose sums are wider ones.
  static constexpr double mixture = 1 + power_of_two(-9);

  // |value - (high + low)|, where high is the rounded sum of both.
  static double distance_between(double value, double high, double low) {
    const double apart = value - high;
    const double part = apart - value;
    const double error = (value - (apart - part)) - (high + part);
    return std::fabs(apart + (error - low));
  }

  // Compiled in sum_bounds.cpp, for Half, BFloat16, float and double.
  void calculate(const TermBlock<T>& block, Subnormals subnormals,
                 Products products = Products::rounded);

  // All are already lenient: a legal value never exceeds its bound.
  double distance(std::size_t j) const { return distance_[j]; }
  // |value - exact sum / divisor|, of the scaled sum as all bounds are. Rounded three times.
  double distance_of_quotient(std::size_t j, double value, double divisor) const {
    return std::fabs(std::fma(value * scale_[j], divisor, -high_[j]) - low_[j]) / divisor;
  }
  // |exact sum / divisor| at most, and what the terms are multiplied by.
  double quotient(std::size_t j, double divisor) const {
    return std::fabs(high_[j] + low_[j]) * slack_ / divisor;
  }
  double scale(std::size_t j) const { return scale_[j]; }
  // Whether a term or a partial sum may be subnormal. REQUIRES: Subnormals::flushed.
  bool may_flush(std::size_t j) const { return flushes_[j] > 0; }
  double one_accumulator(std::size_t j) const { return one_[j]; }
  double wider_accumulator(std::size_t j) const { return wide_[j]; }
  double tree(std::size_t j) const { return tree_[j]; }
  // one_accumulator() without the scaling of huge columns.
  double unscaled_accumulator(std::size_t j) const { return one_[j] / scale_[j]; }

 private:
  // Sums of huge float64 values are computed at 2^-64 of their size. The smallest terms lose at
  // most `least` each by that.
  static constexpr bool may_be_huge = std::is_same_v<T, double>;
  static constexpr double huge = power_of_two(900);
  static constexpr double shrink = power_of_two(-64);
  static constexpr double least = power_of_two(-1074);

  void calculate_all(const TermBlock<T>& block, Subnormals subnormals, Products products) {
    writers_ = static_cast<double>(block.writers());
    slack_ = slack_of(block.writers());
    keeps_grid_ = products == Products::rounded;
    begin(block);
    for (std::size_t k = 0; k < block.writers(); ++k) add(block.term(k), block.count());
    if (subnormals == Subnormals::flushed) add_flushes(block);
    if (products == Products::fused) add_products(block);
    finish(block);
    iterate(block);
    widen(block);
  }

  void begin(const TermBlock<T>& block) {
    const std::size_t count = block.count();
    std::fill_n(scale_.begin(), count, 1.0);
    if constexpr (may_be_huge) find_scale(block);
    for (std::size_t j = 0; j < count; ++j) {
      const double data = static_cast<double>(block.data()[j]) * scale_[j];
      high_[j] = data;
      low_[j] = 0;
      positive_[j] = std::max(data, 0.0);
      negative_[j] = std::max(-data, 0.0);
      grid_[j] = lowest_bit(data);
      updates_[j] = 0;
      flushes_[j] = 0;
    }
  }

  void find_scale(const TermBlock<T>& block) {
    for (std::size_t j = 0; j < block.count(); ++j) {
      scale_[j] = std::max(std::fabs(block.data()[j]), std::fabs(block.target()[j]));
    }
    for (std::size_t k = 0; k < block.writers(); ++k) {
      for (std::size_t j = 0; j < block.count(); ++j) {
        scale_[j] = std::max(scale_[j], std::fabs(static_cast<double>(block.term(k)[j])));
      }
    }
    for (std::size_t j = 0; j < block.count(); ++j) scale_[j] = scale_[j] >= huge ? shrink : 1.0;
  }

  double term_at(const Lane<T>* terms, std::size_t j) const {
    if constexpr (may_be_huge) return terms[j] * scale_[j];
    return static_cast<double>(terms[j]);
  }

  // high + low is the exact sum up to the rounding of low: Knuth's two-sum.
  void add(const Lane<T>* terms, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) {
      const double x = term_at(terms, j);
      const double sum = high_[j] + x;
      const double part = sum - high_[j];
      low_[j] += (high_[j] - (sum - part)) + (x - part);
      high_[j] = sum;
      positive_[j] += std::max(x, 0.0);
      negative_[j] += std::max(-x, 0.0);
      updates_[j] += std::fabs(x);
      grid_[j] = std::min(grid_[j], lowest_bit(x));
    }
  }

  // Flushing may replace each subnormal term, and each subnormal result, by 0. Sums of multiples of
  // normal_min are never subnormal.
  void add_flushes(const TermBlock<T>& block) {
    constexpr double normal_min = RealFormat<T>::normal_min;
    for (std::size_t j = 0; j < block.count(); ++j) {
      if (scale_[j] == 1.0 && grid_[j] >= normal_min) continue;
      const double data = std::fabs(static_cast<double>(block.data()[j]));
      double lost = data < normal_min ? data : 0;
      for (std::size_t k = 0; k < block.writers(); ++k) {
        const double x = std::fabs(static_cast<double>(block.term(k)[j]));
        lost += x < normal_min ? x : 0;
      }
      flushes_[j] = std::max((lost + writers_ * normal_min) * scale_[j], least);
    }
  }

  // Each term may be the rounding of any product within half an ulp of it. It counts as that much
  // more in the bounds, and is that much farther from the sum: decision 41.
  void add_products(const TermBlock<T>& block) {
    for (std::size_t k = 0; k < block.writers(); ++k) {
      for (std::size_t j = 0; j < block.count(); ++j) {
        const double x = std::fabs(static_cast<double>(block.term(k)[j]));
        flushes_[j] += (x * RealFormat<T>::unit + RealFormat<T>::least) * 2 * scale_[j];
      }
    }
  }

  void finish(const TermBlock<T>& block) {
    for (std::size_t j = 0; j < block.count(); ++j) {
      const double target = static_cast<double>(block.target()[j]) * scale_[j];
      distance_[j] = distance_between(target, high_[j], low_[j]);
    }
    if constexpr (may_be_huge) account_for_scaling(block);
    for (std::size_t j = 0; j < block.count(); ++j) {
      largest_[j] = std::max(positive_[j], negative_[j]) + flushes_[j];
      grid_[j] = keeps_grid_ ? grid_[j] : 0;
      half_[j] = 0;
      one_[j] = 0;
    }
  }

  // Bits lost by the scaling count as flushed. A target that loses some is not the sum.
  void account_for_scaling(const TermBlock<T>& block) {
    const auto loss = [](double x) { return x * shrink / shrink == x ? 0.0 : least; };
    for (std::size_t j = 0; j < block.count(); ++j) {
      if (scale_[j] == 1.0) continue;
      flushes_[j] += loss(block.data()[j]);
      for (std::size_t k = 0; k < block.writers(); ++k) flushes_[j] += loss(block.term(k)[j]);
      distance_[j] = std::max(distance_[j], loss(block.target()[j]));
    }
  }

  // The least E with E = sum of min(|x|, h(M + E)), iterated from below. Stopping early would give
  // too small a bound. Equal half ulps give equal sums.
  void iterate(const TermBlock<T>& block) {
    const std::size_t count = block.count();
    while (find_half_ulps(block)) {
      std::fill_n(one_.begin(), count, 0.0);
      for (std::size_t k = 0; k < block.writers(); ++k) {
        const Lane<T>* const terms = block.term(k);
        for (std::size_t j = 0; j < count; ++j) {
          one_[j] += std::min(std::fabs(term_at(terms, j)), half_[j]);
        }
      }
    }
  }

  // At M + E, where E is the sum of min(|x|, half). Returns whether one has grown.
  bool find_half_ulps(const TermBlock<T>& block) {
    for (std::size_t j = 0; j < block.count(); ++j) {
      next_[j] = greatest_half_ulp(j, one_[j], RealFormat<T>::unit);
      unsure_[j] = powers_between(largest_[j] + one_[j], largest_[j] + one_[j]);
    }
    bool has_grown = false;
    for (std::size_t j = 0; j < block.count(); ++j) {
      if (unsure_[j] != 0) {
        const auto error_of = [&](double x) { return std::min(std::fabs(x), half_[j]); };
        next_[j] = exact_half_ulp(block, j, one_[j], RealFormat<T>::unit, error_of);
      }
      has_grown |= next_[j] > half_[j];
      half_[j] = next_[j];
    }
    return has_grown;
  }

  // 0 if no power of two lies between the sums, whatever their roundings.
  double powers_between(double least_sum, double greatest_sum) const {
    return power_below(greatest_sum * slack_) - power_below(least_sum * (2 - slack_));
  }

  // Half an ulp at M + error, whose roundings matter only near a power of two.
  double greatest_half_ulp(std::size_t j, double error, double unit) const {
    return half_ulp<T>((largest_[j] + error) * slack_, unit, grid_[j]);
  }
  double least_half_ulp(std::size_t j, double error, double unit) const {
    return half_ulp<T>((largest_[j] + error) * (2 - slack_), unit, grid_[j]);
  }

  // Without roundings: `error` is the sum of error_of(update). Rarely needed, and long.
  template <class ErrorOf>
  [[gnu::noinline]] double exact_half_ulp(const TermBlock<T>& block, std::size_t j, double error,
                                          double unit, const ErrorOf& error_of) const {
    const double greatest = greatest_half_ulp(j, error, unit);
    const double least_half = least_half_ulp(j, error, unit);
    if (greatest == least_half) return greatest;
    const double power = floor_power((largest_[j] + error) * slack_);
    ExactSum positive;
    ExactSum negative;
    const auto add = [&](double x) { x > 0 ? positive.add(x) : negative.add(-x); };
    const auto add_to_both = [&](double x) { positive.add(x), negative.add(x); };
    add_to_both(flushes_[j]);
    add_to_both(-power);
    add(term_at(block.data(), j));
    for (std::size_t k = 0; k < block.writers(); ++k) {
      const double x = term_at(block.term(k), j);
      add(x);
      add_to_both(error_of(x));
    }
    return positive.is_positive() || negative.is_positive() ? greatest : least_half;
  }

  // n S
  double growth(std::size_t j) const {
    return writers_ * (positive_[j] + negative_[j] + flushes_[j]) * slack_;
  }

  void widen(const TermBlock<T>& block) {
    constexpr double unit = RealFormat<T>::unit;
    constexpr double wide_unit = RealFormat<T>::wide_unit;
    for (std::size_t j = 0; j < block.count(); ++j) {
      const double most = growth(j) * unit;
      tree_[j] = mixture * std::min(most, writers_ * greatest_half_ulp(j, 0, unit));
      wide_[j] = std::min(growth(j) * wide_unit, writers_ * greatest_half_ulp(j, 0, wide_unit));
      unsure_[j] = powers_between(largest_[j], largest_[j] + mixture * most);
    }
    for (std::size_t j = 0; j < block.count(); ++j) {
      if (unsure_[j] == 0) continue;
      tree_[j] = mixture * tree_error(block, j, unit, mixture);
      wide_[j] = tree_error(block, j, wide_unit, 1);
    }
    for (std::size_t j = 0; j < block.count(); ++j) {
      const double near = last_rounding(j, wide_[j] + flushes_[j]);
      wide_[j] = (wide_[j] + std::min(near, updates_[j] + wide_[j]) + flushes_[j]) * slack_;
      tree_[j] = (tree_[j] + flushes_[j]) * slack_;
      one_[j] = (one_[j] + flushes_[j]) * slack_;
    }
  }

  // min(n u S, the least D with D = n h(M + factor D)); a few steps from below nearly always reach
  // D, one step if no power of two is near.
  double tree_error(const TermBlock<T>& block, std::size_t j, double unit, double factor) const {
    const double most = growth(j) * unit;
    const auto errors_at = [&](double error) {
      const double part = error * factor / writers_;
      const auto error_of = [=](double) { return part; };
      return writers_ * exact_half_ulp(block, j, error * factor, unit, error_of);
    };
    double error = 0;
    constexpr int steps = 3;
    for (int step = 0; step < steps; ++step) error = errors_at(error);
    const double found = errors_at(error) <= error ? error : errors_at(most);
    return std::min(most, found);
  }

  // The largest error of rounding a value up to |s| + error: above a power of two, no more than the
  // distance to it.
  double last_rounding(std::size_t j, double error) const {
    const double sum = (std::fabs(high_[j] + low_[j]) + error) * slack_;
    const double most = half_ulp<T>(sum, RealFormat<T>::unit, grid_[j]);
    const double power = floor_power(sum);
    const double low = high_[j] < 0 ? -low_[j] : low_[j];
    const double lost = (one_[j] + error) * (slack_ - 1);
    const double beyond = (std::fabs(high_[j]) - power) + (low + error) + lost;
    const double near = std::max(power / 2 * RealFormat<T>::unit, std::min(most, beyond));
    return most == 0 || near < grid_[j] ? 0 : near;
  }

  double writers_ = 0;
  double slack_ = 1;
  bool keeps_grid_ = true;
  Column scale_, high_, low_, positive_, negative_, updates_, grid_, flushes_;
  Column distance_, largest_, half_, next_, unsure_, one_, wide_, tree_;
};

// ---- The verdict on sums that need no care, which most are, cheaper than SumBounds: float64 holds
// all their partial sums exactly, no update is below half an ulp, and no power of two is near. The
// share is as in SumBounds, bit for bit.

template <class T>
class PlainSums {
 public:
  // Half, BFloat16 and float, whose sums float64 holds.
  static constexpr bool applies = sizeof(Lane<T>) < sizeof(double);
  static constexpr std::size_t most_writers = std::size_t{1} << 20U;

  // REQUIRES: from 2 to `most_writers` finite terms, and no order that leaves their sums.
  void calculate(const TermBlock<T>& block);

  // Whether the j-th value is within the bound of one accumulator, for certain.
  bool is_legal(std::size_t j) const { return share_[j] >= 0; }
  // Of its distance from the exact sum in the largest bound. REQUIRES: is_legal(j).
  double share(std::size_t j) const { return share_[j]; }
  // Whether this bound exceeds an update. REQUIRES: is_legal(j).
  bool hides_update(std::size_t j) const { return tree_[j] > least_[j]; }

 private:
  using Column = std::array<double, TermBlock<T>::most_columns>;

  void add_terms(const TermBlock<T>& block);
  void find_shares(const TermBlock<T>& block);

  Column sum_, magnitude_, weighted_, least_, tree_, share_;
};

}  // namespace tscatter::orders
