#include <algorithm>
#include <cmath>
#include <vector>

#include "tscatter/orders/element_judge.hpp"
#include "tscatter/orders/find_order.hpp"
#include "tscatter/orders/order_lists.hpp"
#include "tscatter/orders/sum_bounds.hpp"

namespace tscatter::orders {
namespace {

// A mean is a sum, divided and rounded: what an algorithm may leave of the sum, divided, and half
// an ulp of the quotient (decision 41).
template <class T>
class MeanJudge final : public ReductionJudge<T> {
 public:
  MeanJudge(Reduction reduction, const JudgeOptions& options)
      : reduction_(reduction),
        options_(options),
        sum_judge_(make_sum_judge<T>(reduction, options)) {}

  void judge(const TermRows<T>& rows, std::span<const std::uint32_t> columns,
             std::span<ElementVerdict> verdicts) override {
    special_.clear();
    finite_.clear();
    for (const std::uint32_t column : columns)
      (is_finite(rows, column) ? finite_ : special_).push_back(column);
    // An infinity or a NaN is the same when it is divided.
    if (!special_.empty()) sum_judge_->judge(as_sums(rows), special_, verdicts);
    const std::size_t at_once = TermBlock<T>::columns_at_once(rows.writers());
    for (std::size_t first = 0; first < finite_.size(); first += at_once) {
      const std::size_t count = std::min(at_once, finite_.size() - first);
      judge_finite(rows, std::span(finite_).subspan(first, count), verdicts);
    }
  }

 private:
  static bool is_finite(const TermRows<T>& rows, std::uint32_t column) {
    bool is_finite =
        std::isfinite(widened(rows.data[column])) && std::isfinite(widened(rows.actual[column]));
    for (const T* const terms : rows.terms)
      is_finite = is_finite && std::isfinite(widened(terms[column]));
    return is_finite;
  }

  // Whether a partial sum may be an infinity, which a wider accumulator does not see.
  static bool may_overflow(const TermRows<T>& rows, std::uint32_t column) {
    auto magnitude = std::fabs(static_cast<long double>(widened(rows.data[column])));
    for (const T* const terms : rows.terms)
      magnitude += std::fabs(static_cast<long double>(widened(terms[column])));
    return magnitude >= static_cast<long double>(RealFormat<T>::most);
  }

  static TermRows<T> as_sums(const TermRows<T>& rows) {
    TermRows<T> sums = rows;
    sums.divisor = 1;
    return sums;
  }

  void judge_finite(const TermRows<T>& rows, std::span<const std::uint32_t> columns,
                    std::span<ElementVerdict> verdicts) {
    block_.gather_sum(rows, columns, reduction_);
    bounds_.calculate(block_, options_.subnormals);
    for (std::size_t j = 0; j < columns.size(); ++j)
      verdicts[columns[j]] = verdict(rows, columns[j], j);
  }

  ElementVerdict verdict(const TermRows<T>& rows, std::uint32_t column, std::size_t j) {
    const double divisor = divisor_of(rows);
    const double sums = error_of_sum(j);
    const auto actual = static_cast<double>(widened(rows.actual[column]));
    if (actual == 0 && may_flush(j, sums, divisor)) return rounded_as(Deviation::flushed);
    // Every order has the same sum, and the quotient is our own result's.
    if (sums == 0 && !may_overflow(rows, column)) return wrong_without_measure;
    const double distance = bounds_.distance_of_quotient(j, actual, divisor);
    const double bound = bound_of(j, sums + rounding_of_sum(j, sums), divisor);
    const double share = distance / bound;
    if (distance > bound) return {.element_class = ElementClass::wrong, .share = share};
    const Meeting meeting{.reduction = reduction_,
                          .accumulation = options_.accumulation,
                          .rounds_sum = options_.rounds_sum};
    if (rows.writers() <= exact_writers && find_order(meeting, rows, column, rows.actual[column]))
      return explained_by_order;
    return {.element_class = ElementClass::rounded,
            .deviation = deviation(j, distance, divisor),
            .share = share};
  }

  // Whether a quotient of some sum may be subnormal, and becomes 0.
  bool may_flush(std::size_t j, double error, double divisor) const {
    const double least = RealFormat<T>::normal_min * bounds_.scale(j);
    return options_.subnormals == Subnormals::flushed &&
           bounds_.quotient(j, divisor) - error / divisor < least;
  }

  // Of a root the number to which it was rounded.
  double divisor_of(const TermRows<T>& rows) const {
    const auto count = static_cast<double>(rows.divisor);
    if (!info(reduction_).takes_root) return count;
    const bool is_divided_wide = prescribes_wider<T>(options_.accumulation) && !options_.rounds_sum;
    const auto root = static_cast<double>(widened(root_of<T>(rows.divisor)));
    return is_divided_wide || !std::isfinite(root) ? std::sqrt(count) : root;
  }

  // Half an ulp of a sum that was kept in a wider dtype and is rounded before it is divided.
  double rounding_of_sum(std::size_t j, double error) const {
    if (!options_.rounds_sum || !prescribes_wider<T>(options_.accumulation)) return 0;
    const double largest = bounds_.quotient(j, 1) + error;
    const double least = RealFormat<T>::normal_min * bounds_.scale(j);
    return std::max(floor_power(std::max(largest, least)), least) * RealFormat<T>::unit;
  }

  double error_of_sum(std::size_t j) const {
    if (prescribes_wider<T>(options_.accumulation)) return bounds_.wider_accumulator(j);
    return std::max({bounds_.one_accumulator(j), bounds_.wider_accumulator(j), bounds_.tree(j)});
  }

  Deviation deviation(std::size_t j, double distance, double divisor) const {
    if (prescribes_wider<T>(options_.accumulation)) return Deviation::wider_accumulator;
    if (distance <= bound_of(j, bounds_.one_accumulator(j), divisor))
      return Deviation::one_accumulator;
    if (distance <= bound_of(j, bounds_.wider_accumulator(j), divisor))
      return Deviation::wider_accumulator;
    return Deviation::tree;
  }

  double bound_of(std::size_t j, double sum_error, double divisor) const {
    constexpr double slack = 1 + power_of_two(-9);      // half floats are rounded twice
    constexpr double exact_divisor = power_of_two(24);  // in float32
    const double error = sum_error / divisor;
    const double largest = (bounds_.quotient(j, divisor) + error) * slack;
    const double least = RealFormat<T>::normal_min * bounds_.scale(j);
    const double half =
        std::max(floor_power(std::max(largest, least)), least) * RealFormat<T>::unit;
    const double roundings = divisor > exact_divisor ? 3 : 1;
    return (error + roundings * half) * slack;
  }

  Reduction reduction_;
  JudgeOptions options_;
  std::unique_ptr<ReductionJudge<T>> sum_judge_;
  std::vector<std::uint32_t> special_;
  std::vector<std::uint32_t> finite_;
  TermBlock<T> block_;
  SumBounds<T> bounds_;
};

}  // namespace

template <class T>
std::unique_ptr<ReductionJudge<T>> make_mean_judge(Reduction reduction,
                                                   const JudgeOptions& options) {
  return std::make_unique<MeanJudge<T>>(reduction, options);
}

template std::unique_ptr<ReductionJudge<Half>> make_mean_judge(Reduction, const JudgeOptions&);
template std::unique_ptr<ReductionJudge<BFloat16>> make_mean_judge(Reduction, const JudgeOptions&);
template std::unique_ptr<ReductionJudge<float>> make_mean_judge(Reduction, const JudgeOptions&);
template std::unique_ptr<ReductionJudge<double>> make_mean_judge(Reduction, const JudgeOptions&);

}  // namespace tscatter::orders
