// history(): what happens to one element: data's value, then each update that reaches it, in order,
// and the value after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter {

// Values are native bytes; of an opaque element at most the first 32.
struct HistoryStep {
  std::int64_t writer = 0;        // 0 for the first update that reaches the element
  std::optional<Position> entry;  // in indices, without the axis of coordinates; a slice has none
  Position update;                // in updates
  std::vector<std::byte> value = {};  // of the update
  std::vector<std::byte> after = {};  // of the element
  std::vector<std::byte> met = {};    // the same before it is rounded; empty without an accumulator
};

struct History {
  Position position;
  std::vector<std::byte> before;   // data's value
  std::vector<std::byte> initial;  // what the first update meets; empty: data's value
  std::vector<std::byte> after;    // the result's
  std::int64_t writers = 0;        // updates that reach the element
  std::int64_t divisor = 1;        // what a mean divides the sum by
  bool takes_root = false;         // of the divisor, and divides by that
  // A wider dtype in which the updates meet; `met` has its values.
  std::optional<DType> accumulator = std::nullopt;
  std::vector<std::byte> met = {};  // all of them, divided, before they are rounded
  std::vector<HistoryStep> steps;   // all, or the first and last ones if more than most_steps
  // Whether updates were given; without them values and results are empty, but for data's.
  bool has_values = true;

  const std::vector<std::byte>& start() const { return initial.empty() ? before : initial; }
};

enum class UpdateValues : bool { read, unknown };

struct HistoryOptions {
  std::int64_t most_steps = 10000;  // half from the beginning, half from the end
  std::int64_t kept = -1;           // a writer whose step is kept beside them; -1: none
  int threads = 0;                  // that read indices; 0: one per core
  StopFlag stop = nullptr;
  UpdateValues values = UpdateValues::read;
  std::optional<Shape> updates_shape =
      std::nullopt;                // before they were broadcast; nullopt: were not
  const Operation* row = nullptr;  // how else they were fitted; nullptr: they were not
};

// Checks every rule of the operation, lowers it, and tells the history of the element. A negative
// index counts from the end of its axis. Throws Error (usage, explain.e1 and explain.e2, for the
// position, and explain.e4; rule; file) and Cancelled.
History history(const Operation& operation, const Arguments& arguments, const Position& position,
                const HistoryOptions& options = {});

// The same for a plan. REQUIRES: it was lowered from these operands.
History history(const LoweredPlan& lowered, const Tensor& data, const Tensor& updates,
                const Position& position, const HistoryOptions& options = {});

// The position with each index in [0, size of its axis). Throws Error (usage): explain.e1 unless it
// has one index for each axis, explain.e2 if an index is outside [-size, size). `where` is used in
// messages.
Position checked_position(const Shape& shape, const Position& position, std::string_view where);

// Throws Error (usage, explain.e4) if its elements are too long to be explained.
void require_short_elements(const Tensor& data);

}  // namespace tscatter
