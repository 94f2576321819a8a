// The index tensor of an operation, read into slots. Not part of the installed interface.
#pragma once

#include "tscatter/ops/checks.hpp"
#include "tscatter/plan/slot_list.hpp"

namespace tscatter {

struct IndexedAxes {
  std::size_t first = 0;     // the axis of data that coordinate 0 of an entry counts along
  std::size_t depth = 1;     // coordinates of an entry
  std::int64_t entries = 0;  // indices holds entries * depth elements
  NegativeIndices negative = NegativeIndices::refused;
};

// The slot of each index entry (plan/scatter_plan.hpp), after each coordinate was checked against
// its own axis. The first coordinate in row-major order that is out of range is the one that is
// named. REQUIRES: require_integers passed; the axes exist.
SlotList read_slots(RuleOf rule, const Tensor& data, const Tensor& indices, const IndexedAxes& axes,
                    const Parallelism& parallelism);

}  // namespace tscatter
