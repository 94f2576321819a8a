// What is said of one element whose updates have no defined order, and what may be legal for it:
// docs/verify.md has the classes, the bounds and their proofs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tscatter::orders {

enum class ElementClass : std::uint8_t { untouched, in_order, reordered, rounded, torn, wrong };

inline constexpr std::array<std::string_view, 6> element_class_names{
    "untouched", "in-order", "reordered", "rounded", "torn", "wrong"};

constexpr std::string_view to_string(ElementClass element_class) {
  return element_class_names[static_cast<std::size_t>(element_class)];
}

// What a rounded element needed, the least that explains it; of a wrong one, what would explain it
// if the options allowed it (flushed, propagated_nan, ignored_nan).
enum class Deviation : std::uint8_t {
  none,
  one_accumulator,    // one accumulator at the dtype's precision, in some order
  wider_accumulator,  // a wider format, rounded once at the end
  tree,               // partial sums or products, each at the dtype's precision or better
  flushed,            // subnormal numbers taken as zero
  other_nan,          // a NaN of other bits, where a NaN is legal
  propagated_nan,     // min, max: a NaN among the updates, where the text passes it over
  ignored_nan,        // min, max: a number, where the text keeps data's NaN
};

inline constexpr std::array<std::string_view, 8> deviation_names{
    "none",    "one accumulator", "wider accumulator", "tree",
    "flushed", "other nan",       "propagated nan",    "ignored nan"};

constexpr std::string_view to_string(Deviation deviation) {
  return deviation_names[static_cast<std::size_t>(deviation)];
}

enum class OrderDependence : std::uint8_t {
  no,       // every order of the updates leaves the same bytes
  yes,      // two orders do not
  unknown,  // no two orders were found that differ, and none was shown that they cannot
};

// What is legal in min and max beside what the text leaves.
enum class NanPolicy : std::uint8_t { text, propagate, ignore, any };

enum class Subnormals : std::uint8_t { kept, flushed };

struct JudgeOptions {
  NanPolicy nan = NanPolicy::text;
  Subnormals subnormals = Subnormals::kept;
};

struct ElementVerdict {
  ElementClass element_class = ElementClass::wrong;
  Deviation deviation = Deviation::none;
  // |actual - exact| as a share of the largest bound that applies: at most 1 where it was judged by
  // a bound and is legal, more than 1 (infinity for what no bound measures) where it is wrong, 0
  // where no bound was asked.
  double share = 0;
};

}  // namespace tscatter::orders
