// compare(), which counts and measures the differences between two tensors, and its Tolerance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/compare/difference_grid.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

// ---- Tolerance: how far two elements may be apart. docs/compare.md says what each member means
// for each dtype.

// An element is within tolerance when either of
//     |actual - expected| <= atol + rtol * |expected|    (rtol or atol given; the other one is 0)
//     at most max_ulp representable values apart         (max_ulp given)
// holds. With neither, bits must be equal; byte order and memory order never matter.
struct Tolerance {
  std::optional<double> rtol = {};
  std::optional<double> atol = {};
  std::optional<std::uint64_t> max_ulp = {};
  bool equal_nan = false;  // any NaN equals any NaN

  bool is_exact() const { return !rtol && !atol && !max_ulp; }
};

// Throws Error (usage, compare.c1) when rtol or atol is negative, infinite or NaN.
void check(const Tolerance& tolerance);

extern const std::span<const Rule> compare_rules;

// ---- compare(): the census of the differences between two tensors, streamed and in parallel.
// docs/compare.md defines each figure. None depends on the number of threads, on byte order or on
// memory order.

inline constexpr std::int64_t most_worst = 10000;

struct CompareOptions {
  Tolerance tolerance = {};
  std::int64_t worst = 5;               // elements to list, 0 to most_worst
  int threads = 0;                      // 0: one per core
  std::optional<GridLimits> grid = {};  // collect a picture of the differences
  StopFlag stop = nullptr;              // compare() throws Cancelled when it becomes true
  Progress* progress = nullptr;         // of the bytes of both
};

// The distance of two finite elements. `integer` is exact; it is set for integers only.
struct Distance {
  double value = 0;
  std::optional<std::uint64_t> integer = {};
};

// One element in which the tensors differ.
struct ElementDifference {
  std::int64_t index = 0;  // in row-major order
  Position position = {};
  std::vector<std::byte> actual = {};  // native bytes; of an opaque element at most the first 32
  std::vector<std::byte> expected = {};
  bool is_beyond = true;
  std::optional<Distance> absolute = {};  // these three: if both elements are finite
  std::optional<double> relative = {};    // infinite where expected is 0
  std::optional<std::uint64_t> ulp = {};
};

// Errors from 10^exponent to below 10^(exponent + 1).
struct Decade {
  int exponent = 0;
  std::int64_t count = 0;
};

// Indices first … last of an axis, and the number of differences beyond tolerance there.
struct IndexShare {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t beyond = 0;
};

// Where the differences beyond tolerance lie.
struct DifferencePlace {
  Position low = {};  // the bounding box, both ends included
  Position high = {};
  // The axis along which they are most concentrated; nullopt if no axis is longer than 1.
  std::optional<std::size_t> axis = {};
  double unevenness = 0;     // 0: spread evenly over the axis, to 1: in one index of many
  std::int64_t indices = 0;  // of that axis (or ranges, of a long one) with a difference
  std::vector<IndexShare> shares = {};  // most first, at most 100
};

struct Census {
  TensorHeader actual = {};
  TensorHeader expected = {};
  Tolerance tolerance = {};

  // The rest is 0 or empty if dtype or shape differ.
  std::int64_t elements = 0;
  std::int64_t differing = 0;  // bits differ; NaN pairs do not count with equal_nan
  std::int64_t beyond = 0;     // differing elements that are beyond tolerance

  // Counts of differing elements.
  std::int64_t nan_in_actual = 0;    // against a number
  std::int64_t nan_in_expected = 0;  // against a number
  std::int64_t nan_in_both = 0;      // of different bits
  std::int64_t infinite = 0;         // an infinity against a number or another infinity

  // These are about differing elements that are finite in both.
  std::optional<ElementDifference> largest_absolute = {};
  std::optional<ElementDifference> largest_relative = {};
  std::optional<ElementDifference> largest_ulp = {};
  std::int64_t zero_errors = 0;       // -0.0 against 0.0
  std::int64_t overflown_errors = 0;  // beyond the range of float64
  std::vector<Decade> decades = {};   // ascending, without empty ones

  // Worst first: beyond tolerance before within; NaN, then infinities, then by absolute error; ties
  // in row-major order.
  std::vector<ElementDifference> worst = {};
  std::optional<ElementDifference> worst_element = {};  // the first of them, even if `worst` is 0
  std::optional<DifferencePlace> place = {};            // if beyond > 0
  std::optional<DifferenceGrid> grid = {};              // if CompareOptions::grid is set

  bool has_same_dtype() const;  // regardless of byte order, for opaque dtypes too
  bool has_same_shape() const { return actual.shape == expected.shape; }
  bool is_match() const { return has_same_dtype() && has_same_shape() && beyond == 0; }
};

// Tensors of any shape and dtype. Throws Error: usage (compare.c1 to compare.c3), file when a
// tensor cannot be read, format when its bytes do not match their archive's checksum; Cancelled.
Census compare(const Tensor& actual, const Tensor& expected, const CompareOptions& options = {});

}  // namespace tscatter
