// The least and the greatest result that the orders of a few terms leave, eight columns at a time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
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
  [[gnu::always_inline]] static inline void apply(LaneVector<Lane<T>>& value,
                                                  const LaneVector<Lane<T>>& term) {
    value += term;
    round_lanes<T, LaneVector<Lane<T>>, LaneVector<LaneBits<Lane<T>>>>(value);
  }
};
template <class T>
struct ProductStep {
  static Lane<T> apply(Lane<T> value, Lane<T> term) { return rounded<T>(value * term); }
  [[gnu::always_inline]] static inline void apply(LaneVector<Lane<T>>& value,
                                                  const LaneVector<Lane<T>>& term) {
    value *= term;
    round_lanes<T, LaneVector<Lane<T>>, LaneVector<LaneBits<Lane<T>>>>(value);
  }
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
    least_.resize(std::size_t{1} << terms.size());
    greatest_.resize(least_.size());
    least_[0] = data;
    greatest_[0] = data;
    vectorised([&] {
      for (std::size_t applied = 1; applied < least_.size(); ++applied) {
        for (std::size_t first = 0; first < lanes; first += sizeof(Vector) / sizeof(Real))
          find_of(terms.data(), applied, first);
      }
    });
  }

  // After all terms. Valid until the next call.
  const Lanes& least() const { return least_.back(); }
  const Lanes& greatest() const { return greatest_.back(); }

 private:
  using Vector = LaneVector<Real>;

  // From the lane `first` on, as many as a vector has.
  [[gnu::always_inline]] inline void find_of(const Lanes* terms, std::size_t applied,
                                             std::size_t first) {
    Vector low = Vector{} + std::numeric_limits<Real>::infinity();
    Vector high = -low;
    for (std::size_t rest = applied; rest != 0; rest &= rest - 1) {
      const auto last = static_cast<std::size_t>(std::countr_zero(rest));
      const std::size_t before = applied ^ (std::size_t{1} << last);
      Vector smaller;
      Vector larger;
      Vector term;
      std::memcpy(&smaller, least_[before].data() + first, sizeof(smaller));
      std::memcpy(&larger, greatest_[before].data() + first, sizeof(larger));
      std::memcpy(&term, terms[last].data() + first, sizeof(term));
      Step::apply(smaller, term);
      Step::apply(larger, term);
      low = smaller < low ? smaller : low;
      high = larger > high ? larger : high;
    }
    std::memcpy(least_[applied].data() + first, &low, sizeof(low));
    std::memcpy(greatest_[applied].data() + first, &high, sizeof(high));
  }

  std::vector<Lanes> least_;
  std::vector<Lanes> greatest_;
};

}  // namespace tscatter::orders
