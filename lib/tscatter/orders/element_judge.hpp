// Whether an element is legal for some order of the updates that reach it. decision 41 has the
// classes, the bounds and their proofs. Knows elements, but no files and no plans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/core/reduction.hpp"
#include "tscatter/orders/prescribed.hpp"
#include "tscatter/orders/terms.hpp"
#include "tscatter/orders/verdict.hpp"

namespace tscatter::orders {

// Whether each reordered column has a verdict of its own. Most of them need none, and are cheaper
// to count.
enum class Reordered : std::uint8_t { listed, counted };

// Gives each column of a row its class. Use one judge per thread: between calls it keeps the order
// that explained the last column, and a few hundred KiB of scratch memory. Columns whose actual
// value is the in-order result are in_order; without writers a column is untouched or wrong.
template <class T>
class ElementJudge {
 public:
  // REQUIRES: a reduction that T has, not none.
  ElementJudge(Reduction reduction, const JudgeOptions& options);
  ElementJudge(ElementJudge&&) noexcept;
  ElementJudge& operator=(ElementJudge&&) noexcept;
  ~ElementJudge();

  // Returns how many columns are reordered but only counted: where some may be, only those that
  // differing() lists have a verdict. REQUIRES: as many verdicts and actual values as columns.
  std::int64_t judge(const TermRows<T>& rows, std::span<ElementVerdict> verdicts,
                     Reordered reordered = Reordered::listed);

  // The columns of the last call that are not the in-order result, ascending, without those that
  // were only counted. Valid until the next call.
  std::span<const std::uint32_t> differing() const;

  // Forgets the order that explained the last columns.
  void forget();

  // Whether the order that explained the last columns explains all of these, bit for bit. False
  // beyond `exact_writers`.
  bool is_of_last_order(const TermRows<T>& rows);

 private:
  class State;
  std::unique_ptr<State> state_;
};

// ---- One judge for each family of reductions: they decide what is left of a row after the orders
// that explain many columns at once.

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
