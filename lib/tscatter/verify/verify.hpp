// verify(): whether a result from elsewhere is legal for some order of the updates. docs/verify.md
// says what is legal, and why.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tscatter/compare/census.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/orders/verdict.hpp"
#include "tscatter/reach/history.hpp"

namespace tscatter {

using orders::ElementClass;
using orders::ElementVerdict;
using orders::NanPolicy;
using orders::OtherBits;
using orders::Subnormals;
using orders::TriedPolicies;

constexpr bool is_legal(ElementClass element_class) { return element_class < ElementClass::torn; }

// Counts of elements by class, and by deviation; indexed by the enumerators.
using ClassCounts = std::array<std::int64_t, orders::element_class_names.size()>;
using DeviationCounts = std::array<std::int64_t, orders::deviation_names.size()>;

inline constexpr std::int64_t most_verdicts = 10000;

// What verify() does one after another.
enum class VerifyPhase : std::uint8_t {
  check,     // the rules
  lower,     // reads the index tensors
  open,      // the result: its memory order, and the content of an archive's member
  group,     // entries by tile
  compare,   // tile by tile, with the orders of what differs
  blocks,    // without a reduction: the writers of whole blocks
  diagnose,  // what explains the wrong elements
  describe,  // the worst elements, with their histories
};

struct VerifyOptions {
  NanPolicy nan = NanPolicy::text;
  Subnormals subnormals = Subnormals::kept;
  // Where bits are moved, or no update comes: sums, products, min and max may leave any NaN as it
  // is.
  OtherBits nan_bits = OtherBits::kept;
  OtherBits zeros = OtherBits::kept;                      // everywhere
  std::optional<Blocks> blocks = std::nullopt;            // nullopt: as the operation says
  TriedPolicies policies = TriedPolicies::one_at_a_time;  // for the diagnosis
  std::int64_t worst = 5;                                 // elements to list, 0 to most_verdicts
  std::optional<GridLimits> grid = {};                    // collect a picture of the wrong elements
  int threads = 0;                                        // 0: one per core
  std::int64_t tile_bytes = std::int64_t{256} * 1024;
  std::filesystem::path spool_directory = "/tmp";  // for a result of another memory order
  StopFlag stop = nullptr;                         // verify() throws Cancelled when it becomes true
  Progress* progress = nullptr;
  std::function<void(VerifyPhase)> observer = {};  // is told of each phase when it begins

  void begin(VerifyPhase phase) const {
    if (observer) observer(phase);
  }
};

// An element that is not in order. Bytes are native; of an opaque element at most the first 32.
struct ElementReport {
  ElementVerdict verdict = {};
  std::int64_t index = 0;  // in row-major order
  Position position = {};
  std::vector<std::byte> actual = {};
  std::vector<std::byte> in_order = {};
  std::optional<History> history = {};  // of the first 100; the first and last of many updates
  // Writers (from 0, as in the history) in an order that leaves this value, if one is known;
  // without a reduction, the last of them alone.
  std::vector<std::int64_t> order = {};
  // Of a wrong element: the first diagnosis that explains it, as an index into named.
  std::optional<std::int64_t> diagnosis = {};
};

// A block whose elements each have a writer that explains them, but none that explains them all.
struct TornBlock {
  struct Writer {
    Position entry = {};         // in indices, without the axis of coordinates
    std::int64_t explained = 0;  // elements
  };
  Position position = {};     // of its first element that the last writer does not explain
  std::int64_t elements = 0;  // in all batches, without the wrong ones
  std::int64_t writers = 0;
  std::vector<Writer> best_writers = {};  // at most 16: those that explain most, first
};

// How many elements are what the operation's library leaves in another of its ways, and not, or
// not in any order, what the operation itself leaves.
struct VariantCount {
  std::string_view says;  // as Variant does
  std::int64_t elements = 0;
};

struct Verification {
  std::string_view operation;
  Reduction reduction = Reduction::none;
  TensorHeader actual = {};
  TensorHeader expected = {};
  std::vector<PolicyAnswer> overridden = {};
  std::optional<std::int64_t> dropped = {};  // index entries, where a policy may drop them

  // The rest is 0 or empty if dtype or shape differ.
  std::int64_t elements = 0;
  ClassCounts classes{};
  DeviationCounts needed{};  // by the rounded
  std::int64_t hiding = 0;   // of the rounded: their bounds exceed an update, and hide its loss
  DeviationCounts would_explain{};  // the wrong, under other options
  double largest_share = 0;         // the largest error of a legal element as a share of its bound
  std::optional<ElementReport> largest = {};  // the element with that share
  std::vector<ElementReport> worst = {};      // illegal ones first, then rounded, then reordered
  orders::Diagnoses diagnoses = {};           // of the wrong elements
  std::optional<DifferencePlace> place = {};  // of the wrong elements, if there are any
  std::optional<DifferenceGrid> grid = {};    // of them, where it was asked for
  std::vector<TornBlock> torn = {};           // the first ones, at most as many as worst
  std::vector<VariantCount> variants = {};    // all of the operation's

  std::int64_t count(ElementClass element_class) const {
    return classes[static_cast<std::size_t>(element_class)];
  }
  bool has_same_dtype() const;  // regardless of byte order
  bool has_same_shape() const { return actual.shape == expected.shape; }
  bool is_legal() const {
    return has_same_dtype() && has_same_shape() && count(ElementClass::torn) == 0 &&
           count(ElementClass::wrong) == 0;
  }
};

// Decides for every element of `actual` whether it is legal for some order of the operation's
// updates. Throws Error: as apply() does, and usage (verify.v1, verify.v2); Cancelled.
Verification verify(const Operation& operation, const Arguments& arguments, const Tensor& actual,
                    const VerifyOptions& options = {});

extern const std::span<const Rule> verify_rules;

}  // namespace tscatter
