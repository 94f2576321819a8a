#include <cmath>

#include "tscatter/kernels/reductions.hpp"
#include "tscatter/orders/find_order.hpp"
#include "tscatter/orders/real_format.hpp"
#include "tscatter/orders/reduction_judge.hpp"

namespace tscatter::orders {
namespace {

// min and max select one of the values, so all possible results are known for any number of
// writers.
template <class T>
class ExtremeJudge final : public ReductionJudge<T> {
 public:
  using Real = Lane<T>;

  ExtremeJudge(Reduction reduction, const JudgeOptions& options)
      : sign_(reduction == Reduction::min ? Real{1} : Real{-1}), options_(options) {}

  void judge(const TermRows<T>& rows, std::span<const std::uint32_t> columns,
             std::span<ElementVerdict> verdicts) override {
    for (const std::uint32_t column : columns) verdicts[column] = verdict(rows, column);
  }

 private:
  ElementVerdict verdict(const TermRows<T>& rows, std::size_t column) const {
    const bool keeps_nan = std::isnan(widened(rows.data[column]));
    const bool is_nan = std::isnan(widened(rows.actual[column]));
    if (keeps_nan && is_nan) return rounded_as(Deviation::other_nan);
    if (is_nan) return verdict_of_nan(rows, column);
    if (keeps_nan) return verdict_beside_nan(rows, column);
    const Real extreme = extreme_of(rows, column);
    if (is_left(rows, column, extreme)) return explained_by_order;
    return is_flushed(rows, column, extreme) ? rounded_as(Deviation::flushed)
                                             : wrong_without_measure;
  }

  static ElementVerdict allowed(bool is_allowed, Deviation deviation) {
    return {.element_class = is_allowed ? ElementClass::rounded : ElementClass::wrong,
            .deviation = deviation,
            .share = is_allowed ? 0 : std::numeric_limits<double>::infinity()};
  }

  ElementVerdict verdict_of_nan(const TermRows<T>& rows, std::size_t column) const {
    for (const T* const terms : rows.terms) {
      if (!std::isnan(widened(terms[column]))) continue;
      const bool propagates =
          options_.nan == NanPolicy::propagate || options_.nan == NanPolicy::any;
      return allowed(propagates, Deviation::propagated_nan);
    }
    return wrong_without_measure;
  }

  ElementVerdict verdict_beside_nan(const TermRows<T>& rows, std::size_t column) const {
    const Real extreme = extreme_of(rows, column);
    if (std::isnan(extreme)) return wrong_without_measure;
    if (!is_left(rows, column, extreme) && !is_flushed(rows, column, extreme)) {
      return wrong_without_measure;
    }
    const bool ignores = options_.nan == NanPolicy::ignore || options_.nan == NanPolicy::any;
    return allowed(ignores, Deviation::ignored_nan);
  }

  // The extreme of all numbers; NaN if there is none.
  Real extreme_of(const TermRows<T>& rows, std::size_t column) const {
    Real extreme = widened(rows.data[column]);
    for (const T* const terms : rows.terms) {
      const Real x = widened(terms[column]);
      if (std::isnan(extreme) || sign_ * x < sign_ * extreme) extreme = x;
    }
    return extreme;
  }

  // Of equal values the first stays, and data's comes before all.
  static bool is_left(const TermRows<T>& rows, std::size_t column, Real extreme) {
    const T actual = rows.actual[column];
    if (widened(rows.data[column]) == extreme) return same_bits(actual, rows.data[column]);
    for (const T* const terms : rows.terms) {
      if (widened(terms[column]) == extreme && same_bits(actual, terms[column])) return true;
    }
    return false;
  }

  // If subnormal numbers count as 0, they equal 0 and each other: any may stay, unchanged or as a
  // zero.
  bool is_flushed(const TermRows<T>& rows, std::size_t column, Real extreme) const {
    if (options_.subnormals == Subnormals::kept) return false;
    const bool may_be_zero = is_small(extreme) && is_small(widened(rows.actual[column]));
    if (!may_be_zero) return false;
    if (widened(rows.actual[column]) == 0) return true;
    if (same_bits(rows.actual[column], rows.data[column])) return true;
    for (const T* const terms : rows.terms) {
      if (same_bits(rows.actual[column], terms[column])) return true;
    }
    return false;
  }

  static bool is_small(Real value) { return std::fabs(value) < RealFormat<T>::normal_min; }

  Real sign_;
  JudgeOptions options_;
};

}  // namespace

template <class T>
std::unique_ptr<ReductionJudge<T>> make_extreme_judge(Reduction reduction,
                                                      const JudgeOptions& options) {
  return std::make_unique<ExtremeJudge<T>>(reduction, options);
}

template std::unique_ptr<ReductionJudge<Half>> make_extreme_judge(Reduction, const JudgeOptions&);
template std::unique_ptr<ReductionJudge<BFloat16>> make_extreme_judge(Reduction,
                                                                      const JudgeOptions&);
template std::unique_ptr<ReductionJudge<float>> make_extreme_judge(Reduction, const JudgeOptions&);
template std::unique_ptr<ReductionJudge<double>> make_extreme_judge(Reduction, const JudgeOptions&);

}  // namespace tscatter::orders
