// The verdict on sums that need no care, which most are, cheaper than SumBounds: float64 holds all
// their partial sums exactly, no update is below half an ulp, and no power of two is near. The
// share is as in SumBounds, bit for bit.
#pragma once

#include <array>
#include <cstddef>

#include "tscatter/orders/real_format.hpp"
#include "tscatter/orders/term_block.hpp"

namespace tscatter::orders {

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
