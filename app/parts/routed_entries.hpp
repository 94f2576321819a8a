// The index entries of a job on their way from the ranks that read them to those that own the parts
// of the output where they go, round by round.
#pragma once

#include <exception>
#include <functional>
#include <span>
#include <vector>

#include "parts/dealt_entries.hpp"

namespace tscatter::app {

// Called by all ranks at once: sends parcels[r] to rank r, and fills `arrived` with what came from
// all, in their order. False on all ranks if one of them says that it ends.
using Exchange = std::function<bool(std::span<const std::vector<std::byte>> parcels, bool ends,
                                    std::vector<std::byte>& arrived)>;

struct RoutedEntries {
  std::vector<ReceivedEntries> of_own_parts;  // in their order
  std::exception_ptr error;  // of this rank; where another failed, its parts lack entries
};

// Called by all ranks, each in an InterruptScope: reads its share of all entries, and gets what
// goes to its own parts. REQUIRES: the parts ascend, and all ranks have the same.
RoutedEntries route_entries(const EntryRecords& records, const Deal& deal, int rank,
                            std::span<const RoutedPart> parts, const Exchange& exchange);

}  // namespace tscatter::app
