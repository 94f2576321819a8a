#include "tscatter/orders/sum_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "tscatter/kernels/path.hpp"

namespace tscatter::orders {

template <class T>
void SumBounds<T>::calculate(const TermBlock<T>& block, Subnormals subnormals, Products products) {
  vectorised([&] { calculate_all(block, subnormals, products); });
}

template void SumBounds<Half>::calculate(const TermBlock<Half>&, Subnormals, Products);
template void SumBounds<BFloat16>::calculate(const TermBlock<BFloat16>&, Subnormals, Products);
template void SumBounds<float>::calculate(const TermBlock<float>&, Subnormals, Products);
template void SumBounds<double>::calculate(const TermBlock<double>&, Subnormals, Products);

template <class T>
void PlainSums<T>::calculate(const TermBlock<T>& block) {
  vectorised([&] {
    add_terms(block);
    find_shares(block);
  });
}

template <class T>
void PlainSums<T>::add_terms(const TermBlock<T>& block) {
  const std::size_t count = block.count();
  for (std::size_t j = 0; j < count; ++j) {
    const auto data = static_cast<double>(block.data()[j]);
    sum_[j] = data;
    magnitude_[j] = std::fabs(data);
    weighted_[j] = data;
    least_[j] = HUGE_VAL;
  }
  for (std::size_t k = 0; k < block.writers(); ++k) {
    const Lane<T>* const terms = block.term(k);
    for (std::size_t j = 0; j < count; ++j) {
      const auto x = static_cast<double>(terms[j]);
      sum_[j] += x;
      magnitude_[j] += std::fabs(x);
      weighted_[j] += sum_[j];
      least_[j] = std::min(least_[j], std::fabs(x));
    }
  }
}

// The names are as in SumBounds. A term is a multiple of 2^-24 of its magnitude at least, so
// that up to 2^52 of the least such multiple all sums here are exact.
template <class T>
void PlainSums<T>::find_shares(const TermBlock<T>& block) {
  constexpr double unit = RealFormat<T>::unit;
  constexpr double exact = power_of_two(28);
  const auto writers = static_cast<double>(block.writers());
  const double slack = SumBounds<T>::slack_of(block.writers());
  for (std::size_t j = 0; j < block.count(); ++j) {
    const double data = std::fabs(static_cast<double>(block.data()[j]));
    const double least = data == 0 ? least_[j] : std::min(least_[j], data);
    const double sum = sum_[j];
    const double largest = (magnitude_[j] + std::fabs(sum)) / 2;
    const double most = writers * magnitude_[j] * slack * unit;
    const double power = power_below(largest * slack);
    const double half = power * unit;
    const bool is_exact = magnitude_[j] * (writers + 2) <= least * exact;
    const bool is_in_binade = (power_below((largest + SumBounds<T>::mixture * most) * slack) ==
                               power_below(largest * (2 - slack))) &
                              (largest * (2 - slack) > 2 * RealFormat<T>::normal_min);
    // Sums of multiples of 2 * half are such multiples: then no addition may err.
    const double shift = half * (3 * power_of_two(52));
    const bool may_err =
        ((sum + shift) - shift != sum) | ((weighted_[j] + shift) - shift != weighted_[j]);
    const auto target = static_cast<double>(block.target()[j]);
    const double distance = SumBounds<T>::distance_between(target, sum, 0);
    const double tree = SumBounds<T>::mixture * std::min(most, writers * half) * slack;
    const bool is_legal = is_exact & is_in_binade & may_err & (target != 0) & (least_[j] >= half) &
                          (distance <= writers * half * slack);
    tree_[j] = tree;
    share_[j] = is_legal ? distance / tree : -1;
  }
}

template class PlainSums<Half>;
template class PlainSums<BFloat16>;
template class PlainSums<float>;

}  // namespace tscatter::orders
