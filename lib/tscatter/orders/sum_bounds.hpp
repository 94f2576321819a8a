// The bounds of docs/verify.md for sums, a block of columns at a time, in float64: the distance of
// the judged value from the exact sum, and the largest distance of each way of accumulating. All
// errors here are on the lenient side. Not part of the installed interface.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tscatter/kernels/path.hpp"
#include "tscatter/orders/element_judge.hpp"
#include "tscatter/orders/real_format.hpp"
#include "tscatter/orders/term_block.hpp"

namespace tscatter::orders {

// Half an ulp at the largest partial sum; 0 if every sum is exact: below twice the least normal
// number, and if all terms are multiples of a `grid` coarser than the half ulp.
template <class T>
double half_ulp(double sum, double unit, double grid) {
  constexpr std::uint64_t exponent_bits = 0x7FF0000000000000U;
  const auto power = std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) & exponent_bits);
  const double half = power * unit;
  return sum < 2 * RealFormat<T>::normal_min || half < grid ? 0 : half;
}

// The value of the lowest set bit; infinity for 0.
inline double lowest_bit(double value) {
  constexpr std::uint64_t fraction_bits = 0x000FFFFFFFFFFFFFU;
  const auto bits = std::bit_cast<std::uint64_t>(std::fabs(value));
  const std::uint64_t fraction = bits & fraction_bits;
  const auto power = std::bit_cast<double>(bits & ~fraction_bits);
  const std::uint64_t low = fraction & (~fraction + 1);
  const double bit = std::bit_cast<double>((bits & ~fraction_bits) | low) - power;
  const double least = fraction == 0 ? power : bit;
  return least == 0 ? HUGE_VAL : least;
}

template <class T>
class SumBounds {
 public:
  static constexpr std::size_t most_columns = TermBlock<T>::most_columns;
  using Column = std::array<double, most_columns>;

  void calculate(const TermBlock<T>& block, Subnormals subnormals) {
    vectorised([&] { calculate_all(block, subnormals); });
  }

  // All are already lenient: a legal value never exceeds its bound.
  double distance(std::size_t j) const { return distance_[j]; }
  double one_accumulator(std::size_t j) const { return one_[j]; }
  double wider_accumulator(std::size_t j) const { return wide_[j]; }
  double tree(std::size_t j) const { return tree_[j]; }

 private:
  // Sums of huge float64 values are computed at 2^-64 of their size. The smallest terms lose less
  // than `scaling_loss_` each by that.
  static constexpr bool may_be_huge = std::is_same_v<T, double>;
  static constexpr double huge = power_of_two(900);
  static constexpr double shrink = power_of_two(-64);

  void calculate_all(const TermBlock<T>& block, Subnormals subnormals) {
    writers_ = static_cast<double>(block.writers());
    slack_ = 1 + power_of_two(-40) + writers_ * power_of_two(-50);
    begin(block, subnormals);
    for (std::size_t k = 0; k < block.writers(); ++k) add(block.term(k), block.count());
    if (subnormals == Subnormals::flushed) add_flushes(block);
    finish(block);
    iterate(block);
    widen(block.count());
  }

  void begin(const TermBlock<T>& block, Subnormals subnormals) {
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
    keeps_grid_ = subnormals == Subnormals::kept;
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

  // Flushing may replace each subnormal term, and each subnormal result, by 0.
  void add_flushes(const TermBlock<T>& block) {
    constexpr double normal_min = RealFormat<T>::normal_min;
    for (std::size_t j = 0; j < block.count(); ++j) {
      const double data = std::fabs(static_cast<double>(block.data()[j]));
      double lost = data < normal_min ? data : 0;
      for (std::size_t k = 0; k < block.writers(); ++k) {
        const double x = std::fabs(static_cast<double>(block.term(k)[j]));
        lost += x < normal_min ? x : 0;
      }
      flushes_[j] = (lost + writers_ * normal_min) * scale_[j];
    }
  }

  void finish(const TermBlock<T>& block) {
    constexpr double scaling_loss = power_of_two(-1074);
    for (std::size_t j = 0; j < block.count(); ++j) {
      const double target = static_cast<double>(block.target()[j]) * scale_[j];
      const double apart = target - high_[j];
      const double part = apart - target;
      const double error = (target - (apart - part)) - (high_[j] + part);
      distance_[j] = std::fabs(apart + (error - low_[j]));
      magnitude_[j] = std::fabs(high_[j] + low_[j]);
      flushes_[j] += scale_[j] == 1.0 ? 0.0 : (writers_ + 1) * scaling_loss;
      largest_[j] = std::max(positive_[j], negative_[j]) + flushes_[j];
      grid_[j] = keeps_grid_ ? grid_[j] : 0;
      one_[j] = 0;
    }
  }

  // The least E with E = sum of min(|x|, h(M + E)), iterated from below. Stopping early would give
  // too small a bound. Equal half ulps give equal sums.
  void iterate(const TermBlock<T>& block) {
    const std::size_t count = block.count();
    for (std::size_t j = 0; j < count; ++j) half_[j] = half_ulp_after(j, 0);
    bool goes_on = true;
    while (goes_on) {
      std::fill_n(next_.begin(), count, 0.0);
      for (std::size_t k = 0; k < block.writers(); ++k) {
        const Lane<T>* const terms = block.term(k);
        for (std::size_t j = 0; j < count; ++j) {
          next_[j] += std::min(std::fabs(term_at(terms, j)), half_[j]);
        }
      }
      goes_on = false;
      for (std::size_t j = 0; j < count; ++j) {
        one_[j] = std::max(next_[j], one_[j]);
        const double half = half_ulp_after(j, one_[j]);
        goes_on |= half > half_[j];
        half_[j] = half;
      }
    }
  }

  double half_ulp_after(std::size_t j, double error) const {
    return half_ulp<T>((largest_[j] + error) * slack_, RealFormat<T>::unit, grid_[j]);
  }

  void widen(std::size_t count) {
    constexpr double mixture = 1 + power_of_two(-9);
    for (std::size_t j = 0; j < count; ++j) {
      const double inner = tree_error(j, RealFormat<T>::wide_unit);
      const double near =
          half_ulp<T>((magnitude_[j] + inner) * slack_, RealFormat<T>::unit, grid_[j]);
      wide_[j] = (inner + std::min(near, updates_[j] + inner) + flushes_[j]) * slack_;
      tree_[j] = (tree_error(j, RealFormat<T>::unit) * mixture + flushes_[j]) * slack_;
      one_[j] = (one_[j] + flushes_[j]) * slack_;
    }
  }

  // min(n u S, the least D with D = n h(M + D)); a few steps from below nearly always reach D.
  double tree_error(std::size_t j, double unit) const {
    const double most = writers_ * unit * (positive_[j] + negative_[j] + flushes_[j]) * slack_;
    const auto errors_at = [&](double error) {
      return writers_ * half_ulp<T>((largest_[j] + error) * slack_, unit, grid_[j]);
    };
    double error = 0;
    constexpr int steps = 3;
    for (int step = 0; step < steps; ++step) error = errors_at(error);
    const double least = errors_at(error) <= error ? error : errors_at(most);
    return std::min(most, least);
  }

  double writers_ = 0;
  double slack_ = 1;
  bool keeps_grid_ = true;
  Column scale_, high_, low_, positive_, negative_, updates_, grid_, flushes_;
  Column distance_, magnitude_, largest_, half_, next_, one_, wide_, tree_;
};

}  // namespace tscatter::orders
