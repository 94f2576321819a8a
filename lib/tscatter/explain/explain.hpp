// explain(): who writes what: how often each element of the output is written, where index entries
// meet, and whether the result depends on the order in which they are applied. docs/explain.md
// defines each figure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/orders/verdict.hpp"
#include "tscatter/reach/history.hpp"

namespace tscatter {

inline constexpr std::int64_t most_explained = 10000;

struct ExplainOptions {
  std::int64_t worst = 5;         // destinations and elements to list, 0 to most_explained
  std::vector<Position> at = {};  // the elements whose histories are wanted
  int threads = 0;                // 0: one per core
  StopFlag stop = nullptr;        // explain() throws Cancelled when it becomes true
  Progress* progress = nullptr;
};

// How many elements of the output are written never, once, several times.
struct Coverage {
  std::int64_t never = 0;
  std::int64_t once = 0;
  std::int64_t several = 0;
  std::int64_t most_writers = 0;  // updates that reach one element

  friend bool operator==(const Coverage&, const Coverage&) = default;
};

// A slice of a tensor: an index, or nullopt for a whole axis. {3, nullopt}: output[3, :]
using Place = std::vector<std::optional<std::int64_t>>;

// Some entries, as positions in indices without the axis of coordinates. Up to most_entries are all
// in `first`; of more, the first few and the last few are kept.
struct EntryList {
  static constexpr std::int64_t most_entries = 12;

  std::vector<Position> first;
  std::vector<Position> last;
};

// A destination that several index entries share.
struct SharedDestination {
  Place place;
  std::int64_t writers = 0;
  EntryList entries;
};

using orders::OrderDependence;

// Why the result cannot depend on the order, or that the values decided.
enum class OrderReason : std::uint8_t {
  no_meeting,     // no element is written several times
  integers,       // wrapping arithmetic, minimum and maximum of integers
  booleans,       // logical operations
  by_the_values,  // decided element by element
  no_updates,     // not decided: updates were not given
};

// An element after the updates in one order.
struct OrderExample {
  EntryList entries;              // as they are applied to data's value
  std::vector<std::byte> result;  // native bytes; of an opaque element at most the first 32
};

struct DependentElement {
  Position position;
  std::int64_t index = 0;  // in row-major order
  std::int64_t writers = 0;
  OrderExample in_order;
  OrderExample other;
};

struct OrderReport {
  OrderDependence depends = OrderDependence::no;
  OrderReason reason = OrderReason::no_meeting;
  std::int64_t dependent = 0;                // elements for which two orders differ
  std::int64_t undecided = 0;                // elements for which it is not known
  std::vector<DependentElement> first = {};  // in row-major order
};

struct Explanation {
  std::string_view operation = {};
  Reduction reduction = Reduction::none;
  TensorHeader output = {};
  std::vector<PolicyAnswer> overridden = {};
  std::int64_t index_entries = 0;
  std::optional<std::int64_t> dropped = {};  // of them, where entries may be dropped
  std::int64_t destinations = 0;             // distinct ones
  Coverage coverage = {};
  std::vector<SharedDestination> meeting = {};  // most writers first; ties in row-major order
  std::int64_t meetings = 0;                    // destinations with several writers
  OrderReport order = {};
  std::vector<History> histories = {};  // of the positions that were asked for
};

// Checks every rule of the operation and explains what it would do; writes nothing. Reads indices,
// and only those parts of data and updates that meet or that the history needs. Without the operand
// updates everything but values is explained. Throws Error (usage, explain.e1 to explain.e5; rule;
// file) and Cancelled.
Explanation explain(const Operation& operation, const Arguments& arguments,
                    const ExplainOptions& options = {});

extern const std::span<const Rule> explain_rules;

}  // namespace tscatter
