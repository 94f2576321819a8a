// Whether an element is legal for some order of the updates that reach it: docs/verify.md has the
// classes, the bounds and their proofs. Knows elements only, no files and no plans. Not part of the
// installed interface.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tscatter/core/reduction.hpp"
#include "tscatter/orders/term_rows.hpp"

namespace tscatter::orders {

enum class ElementClass : std::uint8_t { untouched, in_order, reordered, rounded, torn, wrong };

inline constexpr std::array<std::string_view, 6> element_class_names{
    "untouched", "in-order", "reordered", "rounded", "torn", "wrong"};

constexpr std::string_view to_string(ElementClass element_class) {
  return element_class_names[static_cast<std::size_t>(element_class)];
}

// What a rounded element needed, the least that explains it; of a wrong one, what would explain it
// if the options allowed it (flushed, propagated_nan, ignored_nan).
enum class Explanation : std::uint8_t {
  none,
  one_accumulator,    // one accumulator at the dtype's precision, in some order
  wider_accumulator,  // a wider format, rounded once at the end
  tree,               // partial sums or products, each at the dtype's precision or better
  flushed,            // subnormal numbers taken as zero
  other_nan,          // a NaN of other bits, where a NaN is legal
  propagated_nan,     // min, max: a NaN among the updates, where the text passes it over
  ignored_nan,        // min, max: a number, where the text keeps data's NaN
};

inline constexpr std::array<std::string_view, 8> explanation_names{
    "none",    "one accumulator", "wider accumulator", "tree",
    "flushed", "other nan",       "propagated nan",    "ignored nan"};

constexpr std::string_view to_string(Explanation explanation) {
  return explanation_names[static_cast<std::size_t>(explanation)];
}

// What is legal in min and max beside what the text leaves.
enum class NanPolicy : std::uint8_t { text, propagate, ignore, any };

enum class Subnormals : std::uint8_t { kept, flushed };

struct JudgeOptions {
  NanPolicy nan = NanPolicy::text;
  Subnormals subnormals = Subnormals::kept;
};

struct ElementVerdict {
  ElementClass element_class = ElementClass::wrong;
  Explanation explanation = Explanation::none;
  // |actual - exact| as a share of the largest bound that applies: at most 1 where it was judged by
  // a bound and is legal, more than 1 (infinity for what no bound measures) where it is wrong, 0
  // where no bound was asked.
  double share = 0;
};

// Gives each column of a row its class. Keeps the order that explained the last column and scratch
// memory of a few hundred KiB between calls: one judge per thread. Columns whose actual value is
// the in-order result are in_order; without writers a column is untouched or wrong.
template <class T>
class Judge {
 public:
  // REQUIRES: a reduction that T has, not none.
  Judge(Reduction reduction, const JudgeOptions& options);
  Judge(Judge&&) noexcept;
  Judge& operator=(Judge&&) noexcept;
  ~Judge();

  // REQUIRES: as many verdicts and actual values as columns.
  void judge(const TermRows<T>& rows, std::span<ElementVerdict> verdicts);

 private:
  class State;
  std::unique_ptr<State> state_;
};

// An order of the updates, as places in `terms`, that leaves the actual value of the column bit for
// bit (a NaN: any NaN); the in-order one where that does. Exact for up to 12 writers; beyond, an
// order that was not found may exist.
template <class T>
std::optional<std::vector<std::size_t>> order_for(Reduction reduction, const TermRows<T>& rows,
                                                  std::size_t column);

enum class OrderDependence : std::uint8_t { none, some, unknown };

// Whether any two orders leave values that differ, per column. Decided for up to 12 writers (but
// for products of complex numbers that leave a million partial ones); beyond, for sums that are
// exact, min, max, integers, and where a few orders differ.
// REQUIRES: as many results as columns.
template <class T>
void order_dependence(Reduction reduction, const TermRows<T>& rows,
                      std::span<OrderDependence> results);

}  // namespace tscatter::orders
