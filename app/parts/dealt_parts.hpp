// How several processes share the parts of one job. Knows nothing of how they talk.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "parts/dealt_entries.hpp"
#include "parts/run_part.hpp"

namespace tscatter::app {

// The parts that are not done; none if finish was stopped after that. Sets how many the call has:
// as many as are wanted, or as the job has that was begun, or 8 for each rank. Throws Error (file,
// part.p2).
std::vector<std::int64_t> find_missing(PartsCall& call, const PartsFolder& folder,
                                       std::optional<std::int64_t> wanted, int ranks);

// So many of them are computed at a time: what goes to them is kept until they are.
std::size_t parts_of_wave(int ranks);

// The parts, one after another to the next rank.
std::vector<RoutedPart> deal_parts(const PartsCall& call, const PartsFolder& folder,
                                   std::span<const std::int64_t> parts, int ranks);

// compute_part() from all entries, and from those that the part has received.
void compute_dealt(const Job& job, const PartsCall& call, const PartsFolder& folder,
                   std::int64_t part);
void compute_dealt(const ReceivedEntries& received, const EntryRecords& records, const Job& job,
                   const PartsCall& call, const PartsFolder& folder, std::int64_t part);

}  // namespace tscatter::app
