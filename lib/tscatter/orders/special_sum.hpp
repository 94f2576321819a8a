// What any algorithm may leave of a sum if a term or the judged value is not finite; also if a
// rounded term is not, but the product that it stands for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "tscatter/orders/element_judge.hpp"
#include "tscatter/orders/find_order.hpp"
#include "tscatter/orders/sum_bounds.hpp"

namespace tscatter::orders {

template <class T>
class SpecialSum {
 public:
  SpecialSum(const TermRows<T>& rows, std::size_t column, Meeting meeting)
      : SpecialSum(rows, column, meeting, rows.terms, 1) {}

  // Of the products of alpha and the rows' factors, which are added without being rounded.
  static SpecialSum of_products(const TermRows<T>& rows, std::size_t column, Meeting meeting,
                                double alpha) {
    SpecialSum sum(rows, column, meeting, rows.factors, alpha);
    sum.is_fused_ = true;
    sum.grid_ = 0;  // products are multiples of less
    return sum;
  }

  ElementVerdict verdict() const {
    const auto actual = widened(rows_.actual[column_]);
    const bool is_finite = !has_nan_ && !has_positive_ && !has_negative_;
    if (is_fused_ && is_finite && std::isfinite(actual)) return of_finite_products(actual);
    if (has_nan_ || (has_positive_ && has_negative_)) {
      return std::isnan(actual) ? rounded_as(Deviation::other_nan) : wrong_without_measure;
    }
    if (has_positive_ || has_negative_) return beside_infinity(actual);
    if (never_overflows_within()) return of_wide_range(actual);
    if (std::isnan(actual)) {
      return overflows(positive_) && overflows(negative_) ? rounded_as(Deviation::tree)
                                                          : wrong_without_measure;
    }
    if (!overflows(actual > 0 ? positive_ : negative_)) return wrong_without_measure;
    return of_order(Deviation::tree);
  }

 private:
  // Products of floats are exact here, those of doubles have 11 bits more than these.
  SpecialSum(const TermRows<T>& rows, std::size_t column, Meeting meeting,
             std::span<const T* const> terms, long double alpha)
      : rows_(rows), column_(column), meeting_(meeting) {
    add(widened(rows.data[column]));
    const bool is_subtracted = info(meeting.reduction).negates;
    for (const T* const row : terms) {
      const long double x = alpha * static_cast<long double>(widened(row[column]));
      add(is_subtracted ? -x : x);
    }
  }

  void add(long double x) {
    has_nan_ |= std::isnan(x);
    if (std::isinf(x)) return x > 0 ? void(has_positive_ = true) : void(has_negative_ = true);
    if (x == 0 || std::isnan(x)) return;
    ++finite_terms_;
    grid_ = std::min(grid_, lowest_bit(static_cast<double>(x)));
    (x > 0 ? positive_ : negative_) += std::fabs(x);
  }

  ElementVerdict beside_infinity(Lane<T> actual) const {
    if (std::isinf(actual) && (actual > 0) == has_positive_)
      return is_fused_ ? rounded_as(Deviation::one_accumulator) : explained_by_order;
    const bool may_cancel =
        !never_overflows_within() && overflows(has_positive_ ? negative_ : positive_);
    if (!std::isnan(actual) || !may_cancel) return wrong_without_measure;
    return of_order(Deviation::tree);
  }

  // Whether the accumulator that is prescribed has room for every partial sum: bfloat16's in
  // float32 has no greater range than bfloat16.
  bool never_overflows_within() const {
    const bool has_same_range =
        std::is_same_v<T, BFloat16> && meeting_.accumulation == Accumulation::float32;
    return prescribes_wider<T>(meeting_.accumulation) && !has_same_range;
  }

  // Of finite terms: only the sum itself may be rounded to an infinity.
  ElementVerdict of_wide_range(Lane<T> actual) const {
    if (std::isnan(actual)) return wrong_without_measure;
    const long double sum = positive_ - negative_;
    const long double error = (positive_ + negative_) * static_cast<long double>(finite_terms_) *
                              2 * RealFormat<T>::wide_unit;
    if ((actual > 0 ? sum : -sum) + error < rounds_to_infinity) return wrong_without_measure;
    return of_order(Deviation::wider_accumulator);
  }

  // Nothing has overflowed, so each addition, and each product that was rounded after all, errs by
  // half an ulp of the greatest number at most; a wider accumulator may go beyond that.
  ElementVerdict of_finite_products(Lane<T> actual) const {
    using Format = RealFormat<T>;
    constexpr long double slack = 1 + 0x1p-9L;
    const auto writers = static_cast<long double>(rows_.writers());
    const long double size = positive_ + negative_;
    const auto half = static_cast<long double>(power_below(Format::most)) * Format::unit;
    const long double near = 2 * writers * std::min(size * Format::unit, half) * slack;
    const long double wide_unit = Format::wide_unit + std::numeric_limits<long double>::epsilon();
    const long double wide = near + writers * size * wide_unit * slack;
    const long double distance =
        std::fabs(static_cast<long double>(actual) - (positive_ - negative_));
    const auto share = static_cast<double>(distance / wide);
    if (distance > wide) return {.element_class = ElementClass::wrong, .share = share};
    return {
        .element_class = ElementClass::rounded,
        .deviation = distance <= near ? Deviation::one_accumulator : Deviation::wider_accumulator,
        .share = share};
  }

  ElementVerdict of_order(Deviation otherwise) const {
    if (is_fused_) return rounded_as(otherwise);
    const bool is_found = find_order(meeting_, rows_, column_, rows_.actual[column_]).has_value();
    return is_found ? explained_by_order : rounded_as(otherwise);
  }

  // Whether a partial sum on this side may round to an infinity.
  bool overflows(long double side) const {
    using Format = RealFormat<T>;
    // But for a wider float64, rounded twice.
    const bool is_exact = rows_.writers() == 1 && !is_fused_;
    if (is_exact && !std::is_same_v<T, double>) return false;
    // No partial sum is greater before the first overflow.
    const auto largest = static_cast<double>(std::max(positive_, negative_));
    const double half = half_ulp<T>(std::min(largest, Format::most), Format::unit, grid_);
    const bool never_rounds = is_exact || half == 0 || finite_terms_ == 0;
    const auto roundings = never_rounds ? 0.0L : static_cast<long double>(finite_terms_ - 1);
    const long double slack = 1 + (roundings + 2) * 2 * std::numeric_limits<long double>::epsilon();
    const long double total = positive_ + negative_;
    return (side + roundings * Format::unit * total * mixture) * slack >= rounds_to_infinity;
  }

  static constexpr long double rounds_to_infinity =
      RealFormat<T>::most + static_cast<long double>(RealFormat<T>::most) /
                                (2 - 2 * RealFormat<T>::unit) * RealFormat<T>::unit;

  static constexpr long double mixture = 1 + power_of_two(-9);

  const TermRows<T>& rows_;
  std::size_t column_;
  Meeting meeting_;
  bool is_fused_ = false;
  std::size_t finite_terms_ = 0;  // and not zero
  double grid_ = HUGE_VAL;
  long double positive_ = 0;
  long double negative_ = 0;
  bool has_nan_ = false;
  bool has_positive_ = false;
  bool has_negative_ = false;
};

}  // namespace tscatter::orders
