#include <algorithm>
#include <cmath>

#include "tscatter/core/fail.hpp"
#include "tscatter/kernels/reductions.hpp"
#include "tscatter/orders/element_judge.hpp"
#include "tscatter/orders/find_order.hpp"
#include "tscatter/orders/real_format.hpp"

namespace tscatter::orders {
namespace {

// min and max select one of the values, so all possible results are known for any number of
// writers.
template <class T>
class ExtremeJudge final : public ReductionJudge<T> {
 public:
  using Real = Lane<T>;

  ExtremeJudge(Reduction reduction, const JudgeOptions& options)
      : family_{info(reduction).extremes},
        sign_(is_min(reduction) ? Real{1} : Real{-1}),
        options_(options) {}

  void judge(const TermRows<T>& rows, std::span<const std::uint32_t> columns,
             std::span<ElementVerdict> verdicts) override {
    for (const std::uint32_t column : columns) verdicts[column] = verdict(rows, column);
  }

 private:
  // Where a column has NaN.
  struct Nans {
    bool in_data = false;
    bool in_updates = false;
    bool in_all_updates = true;
  };

  static bool is_nan(T value) { return std::isnan(widened(value)); }

  static Nans nans_of(const TermRows<T>& rows, std::size_t column) {
    Nans nans{.in_data = is_nan(rows.data[column])};
    for (const T* const terms : rows.terms) {
      const bool is_here = is_nan(terms[column]);
      nans.in_updates = nans.in_updates || is_here;
      nans.in_all_updates = nans.in_all_updates && is_here;
    }
    return nans;
  }

  // Whether some order of the text's loop leaves a NaN.
  bool may_be_nan(const Nans& nans) const {
    switch (family_) {
      case Extremes::data: return nans.in_data;
      case Extremes::update: return nans.in_updates;
      case Extremes::propagate:
      case Extremes::ieee: return nans.in_data || nans.in_updates;
      case Extremes::ignore: return nans.in_data && nans.in_all_updates;
    }
    unreachable();
  }

  bool may_be_number(const Nans& nans) const {
    switch (family_) {
      case Extremes::data: return !nans.in_data;
      case Extremes::update: return !nans.in_all_updates;
      case Extremes::propagate:
      case Extremes::ieee: return !nans.in_data && !nans.in_updates;
      case Extremes::ignore: return !nans.in_data || !nans.in_all_updates;
    }
    unreachable();
  }

  ElementVerdict verdict(const TermRows<T>& rows, std::size_t column) const {
    const Nans nans = nans_of(rows, column);
    return is_nan(rows.actual[column]) ? verdict_of_nan(rows, column, nans)
                                       : verdict_of_number(rows, column, nans);
  }

  static ElementVerdict allowed(bool is_allowed, Deviation deviation) {
    return {.element_class = is_allowed ? ElementClass::rounded : ElementClass::wrong,
            .deviation = deviation,
            .share = is_allowed ? 0 : std::numeric_limits<double>::infinity()};
  }

  ElementVerdict verdict_of_nan(const TermRows<T>& rows, std::size_t column,
                                const Nans& nans) const {
    if (may_be_nan(nans)) {
      const bool data_stays = nans.in_data && family_ != Extremes::update;
      return !data_stays && is_an_update(rows, column) ? explained_by_order
                                                       : rounded_as(Deviation::other_nan);
    }
    if (!nans.in_data && !nans.in_updates) return wrong_without_measure;
    const bool propagates = options_.nan == NanPolicy::propagate || options_.nan == NanPolicy::any;
    return allowed(propagates, Deviation::propagated_nan);
  }

  ElementVerdict verdict_of_number(const TermRows<T>& rows, std::size_t column,
                                   const Nans& nans) const {
    // Whatever comes after the last NaN may be one update.
    const bool may_be_any = family_ == Extremes::update && nans.in_updates;
    if (may_be_any && is_an_update(rows, column)) return explained_by_order;
    const Real extreme = extreme_of(rows, column);
    const bool is_extreme = !std::isnan(extreme) && is_left(rows, column, extreme);
    const bool may_be_flushed =
        is_flushed(rows, column, may_be_any ? nearest_to_0(rows, column) : extreme);
    if (may_be_number(nans)) {
      if (is_extreme && !may_be_any) return explained_by_order;
      if (may_be_flushed) return rounded_as(Deviation::flushed);
    }
    if (!nans.in_data || (!is_extreme && !may_be_flushed)) return wrong_without_measure;
    const bool ignores = options_.nan == NanPolicy::ignore || options_.nan == NanPolicy::any;
    return allowed(ignores, Deviation::ignored_nan);
  }

  template <class Test>
  static bool any_update(const TermRows<T>& rows, std::size_t column, const Test& test) {
    return std::ranges::any_of(rows.terms,
                               [&](const T* const terms) { return test(terms[column]); });
  }
  // Data's, or an update.
  template <class Test>
  static bool any_value(const TermRows<T>& rows, std::size_t column, const Test& test) {
    return test(rows.data[column]) || any_update(rows, column, test);
  }

  static bool is_an_update(const TermRows<T>& rows, std::size_t column) {
    return any_update(rows, column, [&](T value) { return same_bits(rows.actual[column], value); });
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

  // NaN if all updates are.
  static Real nearest_to_0(const TermRows<T>& rows, std::size_t column) {
    Real nearest = std::numeric_limits<Real>::quiet_NaN();
    for (const T* const terms : rows.terms) {
      const Real x = widened(terms[column]);
      if (std::isnan(nearest) || std::fabs(x) < std::fabs(nearest)) nearest = x;
    }
    return nearest;
  }

  bool is_left(const TermRows<T>& rows, std::size_t column, Real extreme) const {
    const T actual = rows.actual[column];
    const bool is_datas = widened(rows.data[column]) == extreme;
    switch (family_) {
      case Extremes::data:
      case Extremes::propagate:
      case Extremes::ignore:
        return is_datas ? same_bits(actual, rows.data[column])
                        : widened(actual) == extreme && is_an_update(rows, column);
      case Extremes::update:
        if (any_update(rows, column, [&](T value) { return widened(value) == extreme; }))
          return widened(actual) == extreme && is_an_update(rows, column);
        return same_bits(actual, rows.data[column]);
      case Extremes::ieee:
        return widened(actual) == extreme && !has_preceding_zero(rows, column) &&
               any_value(rows, column, [&](T value) { return same_bits(actual, value); });
    }
    unreachable();
  }

  // Whether a zero in the column comes before the actual one.
  bool has_preceding_zero(const TermRows<T>& rows, std::size_t column) const {
    const bool is_first = std::signbit(widened(rows.actual[column])) == (sign_ > 0);
    if (widened(rows.actual[column]) != 0 || is_first) return false;
    return any_value(rows, column, [&](T value) {
      return widened(value) == 0 && std::signbit(widened(value)) == (sign_ > 0);
    });
  }

  // If subnormal numbers count as 0, they equal 0 and each other: any may stay, unchanged or as a
  // zero.
  bool is_flushed(const TermRows<T>& rows, std::size_t column, Real extreme) const {
    if (options_.subnormals == Subnormals::kept || !has_subnormal(rows, column)) return false;
    const bool may_be_zero = is_small(extreme) && is_small(widened(rows.actual[column]));
    if (!may_be_zero) return false;
    return widened(rows.actual[column]) == 0 ||
           any_value(rows, column, [&](T value) { return same_bits(rows.actual[column], value); });
  }

  // Without one there is nothing to flush: which of two zeros stays is another question.
  static bool has_subnormal(const TermRows<T>& rows, std::size_t column) {
    return any_value(rows, column,
                     [](T value) { return widened(value) != 0 && is_small(widened(value)); });
  }

  static bool is_small(Real value) { return std::fabs(value) < RealFormat<T>::normal_min; }

  Extremes family_;
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
