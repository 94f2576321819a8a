// LoweredPlan: the plan of one call, and what its index entries are in the operands. Not part of
// the installed interface.
#pragma once

#include "tscatter/core/shape.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// What an index entry names: the axes [first, first + depth) of data. The entries themselves are
// counted in row-major order of their shape, which is that of indices without an axis of
// coordinates.
struct EntryAxes {
  std::size_t first = 0;
  std::size_t depth = 0;
  Shape shape = {};
};

struct LoweredPlan {
  ScatterPlan plan;
  std::int64_t index_entries = 0;  // 0 for a slice: it has none
  EntryAxes entries = {};
};

}  // namespace tscatter
