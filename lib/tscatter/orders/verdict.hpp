// The verdict on one element whose updates have no defined order, and the options for what is
// legal. decision 41 has the bounds and their proofs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/reduction.hpp"

namespace tscatter::orders {

enum class ElementClass : std::uint8_t { untouched, in_order, reordered, rounded, torn, wrong };

inline constexpr std::array<std::string_view, 6> element_class_names{
    "untouched", "in-order", "reordered", "rounded", "torn", "wrong"};

constexpr std::string_view to_string(ElementClass element_class) {
  return element_class_names[static_cast<std::size_t>(element_class)];
}

// For a rounded element, the smallest deviation that explains it; for a wrong one, what would
// explain it if the options allowed that (flushed, other_nan, propagated_nan, ignored_nan,
// other_zero).
enum class Deviation : std::uint8_t {
  none,
  one_accumulator,    // one accumulator at the dtype's precision, in some order
  wider_accumulator,  // a wider format, rounded once at the end
  tree,               // partial sums or products, each at the dtype's precision or better
  flushed,            // subnormal numbers taken as zero
  other_nan,          // a NaN with other bits, where a NaN is legal
  propagated_nan,     // min, max: a NaN among the updates, which the text ignores
  ignored_nan,        // min, max: a number instead of data's NaN, which the text keeps
  other_zero,         // a zero of the other sign
};

inline constexpr std::array<std::string_view, 9> deviation_names{
    "none",      "one accumulator", "wider accumulator", "tree",      "flushed",
    "other nan", "propagated nan",  "ignored nan",       "other zero"};

constexpr std::string_view to_string(Deviation deviation) {
  return deviation_names[static_cast<std::size_t>(deviation)];
}

enum class OrderDependence : std::uint8_t {
  no,       // every order of the updates leaves the same bytes
  yes,      // two orders do not
  unknown,  // neither two orders that differ nor a proof that none do was found
};

// What is legal for min and max besides the text's own result.
enum class NanPolicy : std::uint8_t { text, propagate, ignore, any };

enum class Subnormals : std::uint8_t { kept, flushed };

// Whether the bits that are legal for an element are legal alone, or with them all bits that stand
// for the same: of any NaN, or of both zeros.
enum class OtherBits : std::uint8_t { kept, any };

// Whether the updates of a sum, which are products, were rounded before they were added.
enum class Products : std::uint8_t { rounded, fused };

struct JudgeOptions {
  NanPolicy nan = NanPolicy::text;
  Subnormals subnormals = Subnormals::kept;
  Accumulation accumulation = Accumulation::each_step;  // that the operation prescribes
  bool rounds_sum = false;                              // of a mean: as MeanRules::rounds_sum()
  Products products = Products::rounded;                // of real sums
  double alpha = 1;                                     // of fused products: the other factor
};

struct ElementVerdict {
  ElementClass element_class = ElementClass::wrong;
  Deviation deviation = Deviation::none;
  // Of the operation's variants, from 1, the one whose verdict this is; 0: the operation's own.
  std::uint8_t variant = 0;
  // |actual - exact| as a share of the largest bound that applies: at most 1 if a bound judged it
  // legal, more than 1 (infinity if no bound measures it) if it is wrong, 0 if no bound was needed.
  double share = 0;
  // Whether the bound that a rounded element of a sum is within exceeds one of its updates: it says
  // nothing about this update then.
  bool hides_update = false;
};

// Which policies in the place of the operation's are tried to explain wrong elements.
enum class TriedPolicies : std::uint8_t { one_at_a_time, together };

// Something that explains wrong elements: what they would be if it were so is what was got.
struct Diagnosis {
  std::string_view name;       // of the kind: "without-entry"
  std::string words = {};      // "without indices[1]"
  int rank = 1;                // 1: explains most; 2: most of what rank 1 leaves; and so on
  std::int64_t explained = 0;  // elements that no lower rank explains
  std::int64_t exact = 0;      // of them: bit for bit, in the order of the entries
  // Other operations that leave the same in these elements: "as onnx.ScatterND-13".
  std::vector<std::string> also = {};
};

// Those of one rank explain the same number of elements; which of them it is, the result does not
// tell.
struct Diagnoses {
  std::int64_t examined = 0;  // wrong elements: the worst, and a sample of the others
  std::int64_t unexplained = 0;
  std::int64_t flushed = 0;  // of the examined: legal if subnormal numbers may be flushed
  std::vector<Diagnosis> named = {};
  std::int64_t unnamed = 0;  // that explain as many as the named ones of a rank
  // Of each element that was examined, in that order: the first one that explains it.
  std::vector<std::optional<std::int64_t>> of_element = {};
};

}  // namespace tscatter::orders
