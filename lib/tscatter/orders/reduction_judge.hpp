// One judge for each family of reductions: they decide what is left of a row after the orders that
// explain many columns at once.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "tscatter/orders/element_judge.hpp"
#include "tscatter/orders/prescribed.hpp"

namespace tscatter::orders {

template <class T>
class ReductionJudge {
 public:
  ReductionJudge() = default;
  ReductionJudge(const ReductionJudge&) = delete;
  ReductionJudge& operator=(const ReductionJudge&) = delete;
  virtual ~ReductionJudge() = default;

  // Gives each of the columns its verdict. REQUIRES: at least one writer; no column has the
  // in-order result.
  virtual void judge(const TermRows<T>& rows, std::span<const std::uint32_t> columns,
                     std::span<ElementVerdict> verdicts) = 0;
};

// T: real or complex.
template <class T>
std::unique_ptr<ReductionJudge<T>> make_sum_judge(Reduction reduction, const JudgeOptions& options);
template <class T>
std::unique_ptr<ReductionJudge<T>> make_mean_judge(Reduction reduction,
                                                   const JudgeOptions& options);
template <class T>
std::unique_ptr<ReductionJudge<T>> make_product_judge(const JudgeOptions& options);
// T: real.
template <class T>
std::unique_ptr<ReductionJudge<T>> make_extreme_judge(Reduction reduction,
                                                      const JudgeOptions& options);

inline constexpr ElementVerdict wrong_without_measure{
    .element_class = ElementClass::wrong, .share = std::numeric_limits<double>::infinity()};

inline ElementVerdict rounded_as(Deviation deviation) {
  return {.element_class = ElementClass::rounded, .deviation = deviation};
}

inline constexpr ElementVerdict explained_by_order{.element_class = ElementClass::reordered};

}  // namespace tscatter::orders
