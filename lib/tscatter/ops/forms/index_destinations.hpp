// The lowering shared by the forms with index entries: turns the index tensor into destinations.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/lowered_plan.hpp"
#include "tscatter/plan/scatter_plan.hpp"

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
// coordinate in row-major order that the policy has no place for. REQUIRES: prepared arguments.
LoweredPlan lower_entries(const Operation& operation, const Arguments& arguments,
                          const IndexEntries& entries, const Lowering& lowering);

// The lowering of the form elements without a list: checks the indices, and lets the engine read
// them again. The plan of a call of the form elements, in which indices stay where they are.
// nullopt where a list serves better: an operand is in Fortran order, or indices in foreign byte
// order; duplicates are forbidden; there are few entries beside data; rows of indices repeat one
// value, so that their entries fold. Throws Error as lower_entries does. REQUIRES: prepared
// arguments; `operation` outlives the plan.
std::optional<LoweredPlan> lower_indexed(const Operation& operation, const Arguments& arguments,
                                         std::size_t axis, const Lowering& lowering);

// Whether the entries need no list, although one would fit, if none is dropped: single elements
// whose reader reads memory. Rows are written faster from a list.
bool may_be_left(const ListedWrites& writes, const EntryReader& reader, const Lowering& lowering);

// Entries that are not listed, since their list would be longer than memory allows. Makes `writes`
// read its entries through `reader`. Checks all entries and counts the dropped ones, unless
// `lowering` leaves that to whoever reads them. Throws Error for the first entry that is
// refused, and Cancelled.
void read_again(ListedWrites& writes, std::shared_ptr<const EntryReader> reader,
                const Lowering& lowering);

}  // namespace tscatter
