// The judges of one family of reductions each: what is left of a row when the orders that explain
// many columns at once have been tried. Not part of the installed interface.
#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/orders/judge.hpp"

namespace tscatter::orders {

template <class T>
class ColumnJudge {
 public:
  ColumnJudge() = default;
  ColumnJudge(const ColumnJudge&) = delete;
  ColumnJudge& operator=(const ColumnJudge&) = delete;
  virtual ~ColumnJudge() = default;

  // Gives each of the columns its verdict; none of them is the in-order result. REQUIRES: writers.
  virtual void judge(const TermRows<T>& rows, std::span<const std::uint32_t> columns,
                     std::span<ElementVerdict> verdicts) = 0;
};

template <class T>
inline constexpr bool is_real_dtype_v = HalfWidth<T> || std::is_floating_point_v<T>;

// T: Half, BFloat16, float, double.
template <class T>
std::unique_ptr<ColumnJudge<T>> make_sum_judge(Reduction reduction, const JudgeOptions& options);
template <class T>
std::unique_ptr<ColumnJudge<T>> make_product_judge(const JudgeOptions& options);
template <class T>
std::unique_ptr<ColumnJudge<T>> make_extreme_judge(Reduction reduction,
                                                   const JudgeOptions& options);
// T: float, double.
template <class T>
std::unique_ptr<ColumnJudge<std::complex<T>>> make_complex_sum_judge(Reduction reduction,
                                                                     const JudgeOptions& options);
template <class T>
std::unique_ptr<ColumnJudge<std::complex<T>>> make_complex_product_judge(
    const JudgeOptions& options);

inline constexpr ElementVerdict wrong_without_measure{
    .element_class = ElementClass::wrong, .share = std::numeric_limits<double>::infinity()};

inline ElementVerdict rounded_as(Explanation explanation) {
  return {.element_class = ElementClass::rounded, .explanation = explanation};
}

inline constexpr ElementVerdict explained_by_order{.element_class = ElementClass::reordered};

}  // namespace tscatter::orders
