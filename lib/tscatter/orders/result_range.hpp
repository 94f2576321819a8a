// The least and the greatest result that the orders of a few terms leave, eight columns at a time.
// Not part of the installed interface.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "tscatter/kernels/path.hpp"
#include "tscatter/orders/real_format.hpp"

namespace tscatter::orders {

// A step on finite terms: a rounded sum, or a rounded product of magnitudes. Both are monotonic in
// the accumulator.
template <class T>
struct SumStep {
  static Lane<T> apply(Lane<T> value, Lane<T> term) { return rounded<T>(value + term); }
};
template <class T>
struct ProductStep {
  static Lane<T> apply(Lane<T> value, Lane<T> term) { return rounded<T>(value * term); }
};

// Since a step is monotonic, the least (greatest) result of a set of terms comes from the least
// (greatest) one of all but its last: a result for each set of terms, not for each order.
template <class T, class Step>
class ResultRange {
 public:
  static constexpr std::size_t lanes = 8;
  using Real = Lane<T>;
  using Lanes = std::array<Real, lanes>;

  // REQUIRES: at most `exact_writers` terms, at least one; no order makes a NaN.
  void find(const Lanes& data, std::span<const Lanes> terms) {
    terms_ = terms;
    least_.resize(std::size_t{1} << terms.size());
    greatest_.resize(least_.size());
    least_[0] = data;
    greatest_[0] = data;
    vectorised([&] {
      const std::size_t count = count_;
      for (std::size_t applied = 1; applied < least_.size(); ++applied) find_of(applied, count);
    });
  }

  // After all terms. Valid until the next call.
  const Lanes& least() const { return least_.back(); }
  const Lanes& greatest() const { return greatest_.back(); }

 private:
  void find_of(std::size_t applied, std::size_t count) {
    Lanes low;
    Lanes high;
    low.fill(std::numeric_limits<Real>::infinity());
    high.fill(-std::numeric_limits<Real>::infinity());
    for (std::size_t rest = applied; rest != 0; rest &= rest - 1) {
      const auto last = static_cast<std::size_t>(std::countr_zero(rest));
      const Lanes& low_before = least_[applied ^ (std::size_t{1} << last)];
      const Lanes& high_before = greatest_[applied ^ (std::size_t{1} << last)];
      const Lanes& term = terms_[last];
      for (std::size_t i = 0; i < count; ++i) {
        const Real smaller = Step::apply(low_before[i], term[i]);
        const Real larger = Step::apply(high_before[i], term[i]);
        low[i] = smaller < low[i] ? smaller : low[i];
        high[i] = larger > high[i] ? larger : high[i];
      }
    }
    least_[applied] = low;
    greatest_[applied] = high;
  }

  std::size_t count_ = lanes;  // no constant: GCC would unroll the loop before it vectorises it
  std::span<const Lanes> terms_;
  std::vector<Lanes> least_;
  std::vector<Lanes> greatest_;
};

}  // namespace tscatter::orders
