#include <algorithm>
#include <cmath>
#include <vector>

#include "tscatter/kernels/quotient.hpp"
#include "tscatter/orders/dependence_judge.hpp"
#include "tscatter/orders/find_order.hpp"
#include "tscatter/orders/order_walk.hpp"

namespace tscatter::orders {
namespace {

// Eight columns at a time. The orders leave one value if the least and the greatest are equal. A
// zero has the same sign in every order: a sum is -0.0 only if all terms are.
template <class T, class Step>
class RangeDecision {
 public:
  RangeDecision(Reduction reduction, std::int64_t divisor, std::size_t rows)
      : reduction_{reduction}, divisor_{divisor}, terms_(rows) {}

  void decide(std::span<const T> values, std::span<OrderDependence> results) {
    for (std::size_t first = 0; first < results.size(); first += lanes) {
      const std::size_t count = std::min(lanes, results.size() - first);
      gather(values, results.size(), first, count);
      range_.find(terms_.front(), std::span<const Lanes>(terms_).subspan(1));
      for (std::size_t i = 0; i < count; ++i) results[first + i] = dependence(i);
    }
  }

 private:
  using Range = ResultRange<T, Step>;
  using Real = typename Range::Real;
  using Lanes = typename Range::Lanes;
  static constexpr std::size_t lanes = Range::lanes;
  static constexpr bool is_product = std::is_same_v<Step, ProductStep<T>>;

  void gather(std::span<const T> values, std::size_t columns, std::size_t first,
              std::size_t count) {
    is_special_.fill(false);
    const bool is_subtracted = info(reduction_).negates;
    for (std::size_t row = 0; row < terms_.size(); ++row) {
      Lanes& terms = terms_[row];
      terms.fill(1);
      for (std::size_t i = 0; i < count; ++i) {
        const Real x = widened(values[row * columns + first + i]);
        is_special_[i] = is_special_[i] || !std::isfinite(x) || (is_product && x == 0);
        terms[i] = is_product ? std::fabs(x) : row > 0 && is_subtracted ? -x : x;
      }
    }
    // An order of these may make a NaN.
    for (Lanes& terms : terms_) {
      for (std::size_t i = 0; i < lanes; ++i) terms[i] = is_special_[i] ? Real{1} : terms[i];
    }
  }

  OrderDependence dependence(std::size_t i) const {
    if (is_special_[i]) return OrderDependence::unknown;
    const Real least = range_.least()[i];
    const Real greatest = range_.greatest()[i];
    const bool is_one = least == greatest || same_bits(finished(least), finished(greatest));
    return is_one ? OrderDependence::no : OrderDependence::yes;
  }

  T finished(Real sum) const { return divided(reduction_, T(sum), divisor_); }

  Reduction reduction_;
  std::int64_t divisor_;
  std::vector<Lanes> terms_;  // data's, then the updates'
  std::array<bool, lanes> is_special_{};
  Range range_;
};

}  // namespace

template <class T>
void decide_by_ranges(Reduction reduction, std::int64_t divisor, std::span<const T> values,
                      std::span<OrderDependence> results) {
  if (results.empty()) return;
  const std::size_t rows = values.size() / results.size();
  if (info(reduction).effect == OrderEffect::rounded_prod) {
    RangeDecision<T, ProductStep<T>>(reduction, divisor, rows).decide(values, results);
  } else {
    RangeDecision<T, SumStep<T>>(reduction, divisor, rows).decide(values, results);
  }
}

template void decide_by_ranges(Reduction, std::int64_t, std::span<const Half>,
                               std::span<OrderDependence>);
template void decide_by_ranges(Reduction, std::int64_t, std::span<const BFloat16>,
                               std::span<OrderDependence>);
template void decide_by_ranges(Reduction, std::int64_t, std::span<const float>,
                               std::span<OrderDependence>);
template void decide_by_ranges(Reduction, std::int64_t, std::span<const double>,
                               std::span<OrderDependence>);

}  // namespace tscatter::orders
