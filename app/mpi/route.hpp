// Route: the index entries of a job on their way from the ranks that read them to those that own
// the parts of the output where they go.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/ranks.hpp"
#include "parts/dealt_entries.hpp"

namespace tscatter::app {

class Route {
 public:
  // `most`: entries that a rank reads at once. REQUIRES: what is referred to outlives the route.
  Route(Ranks& ranks, const EntryRecords& records, std::int64_t most,
        const std::atomic<bool>* stop);

  // Reads all entries. Throws on all ranks (Ranks::together): Error for the first entry of the
  // whole list that is refused, and Cancelled.
  void check(int threads) const;

  // Returns what goes to this rank's parts, in their order. REQUIRES: the parts ascend, and all
  // ranks have the same. Throws as Ranks::together: Error (file) and Cancelled.
  std::vector<ReceivedEntries> exchange(std::span<const RoutedPart> parts) const;

 private:
  Ranks& ranks_;
  const EntryRecords& records_;
  Deal deal_;
  const std::atomic<bool>* stop_;
};

}  // namespace tscatter::app
