// The lowering shared by the forms with index entries: turns the index tensor into destinations.
// Not part of the installed interface.
#pragma once

#include <cstddef>
#include <optional>

#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter {

struct IndexEntries {
  EntryAxes named;
  // The one axis along which indices say where an entry goes; along the other named axes it goes
  // where it stands in indices. nullopt: indices have a coordinate along each named axis.
  std::optional<std::size_t> along = std::nullopt;
};

// The plan of a call with these index entries: the destination of each (plan/scatter_plan.hpp).
// Checks each coordinate against its axis. One that is out of range is moved, or its entry dropped,
// as the operation's policy says; here an entry's window is a whole part of data, so that either
// way of dropping drops the entry. Throws Error (the rule of Check::index_range) for the first
// coordinate in row-major order that the policy has no place for. REQUIRES: validate passed.
LoweredPlan lower_entries(const Operation& operation, const Arguments& arguments,
                          const IndexEntries& entries, const Parallelism& parallelism);

}  // namespace tscatter
