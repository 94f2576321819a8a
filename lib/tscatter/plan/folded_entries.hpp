// Folding: where the index is the same for all elements after the axis, as when row numbers were
// repeated to the shape of updates, the entries of one row become one entry, whose block is the
// row. What is written, and in which order, stays the same; reports still count the entries as they
// were given. Not part of the installed interface.
#pragma once

#include <atomic>
#include <cstdint>

#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// data [4,3], elements along axis 0, indices [[2,2,2],[0,0,0]]: destinations 12,
// destination_of_entry {6, 7, 8, 0, 1, 2} becomes destinations 4, destination_of_entry {2, 0},
// block 3
//
// Folds each row of writes.entries_in_row entries into one entry, if all rows allow it. Returns how
// many entries became one: 1 if nothing was folded. Throws Cancelled.
std::int64_t fold_entries(ListedWrites& writes, int threads, const std::atomic<bool>* stop);

}  // namespace tscatter
