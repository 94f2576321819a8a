// Turns an operation's index tensor into destinations. Not part of the installed interface.
#pragma once

#include "tscatter/ops/checks.hpp"
#include "tscatter/plan/destination_list.hpp"

namespace tscatter {

struct IndexedAxes {
  std::size_t first = 0;     // the axis of data that coordinate 0 of an entry counts along
  std::size_t depth = 1;     // coordinates of an entry
  std::int64_t entries = 0;  // indices holds entries * depth elements
  NegativeIndices negative = NegativeIndices::refused;
};

// The destination of each index entry (plan/scatter_plan.hpp). Checks each coordinate against its
// axis; throws Error (by `rule`) for the first in row-major order that is out of range. REQUIRES:
// require_integers passed; the axes exist.
DestinationList read_destinations(RuleOf rule, const Tensor& data, const Tensor& indices,
                                  const IndexedAxes& axes, const Parallelism& parallelism);

}  // namespace tscatter
