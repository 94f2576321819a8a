// The lowering shared by the forms with index entries: turns the index tensor into destinations.
// Not part of the installed interface.
#pragma once

#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter {

// The plan of a call whose index entries name the axes of data that `entries` says: the destination
// of each (plan/scatter_plan.hpp). Checks each coordinate against its axis; throws Error (the rule
// of Check::index_range) for the first in row-major order that is out of range. REQUIRES: validate
// passed.
LoweredPlan lower_entries(const Operation& operation, const Arguments& arguments,
                          const EntryAxes& entries, const Parallelism& parallelism);

}  // namespace tscatter
