// The index entries of a job on their way from the ranks that read them to those that own the parts
// of the output where they go.
#pragma once

#include <span>
#include <vector>

#include "mpi/ranks.hpp"
#include "parts/dealt_entries.hpp"

namespace tscatter::app {

// Called by all ranks: each reads its share of all entries, and returns what goes to its own parts,
// in their order. REQUIRES: the parts ascend, and all ranks have the same. Throws as
// Ranks::together: Error (file) and Cancelled.
std::vector<ReceivedEntries> exchange_entries(Ranks& ranks, const EntryRecords& records,
                                              const Deal& deal, std::span<const RoutedPart> parts);

}  // namespace tscatter::app
