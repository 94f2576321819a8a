// How often each element is written, and the destinations that most entries share. Not part of the
// installed interface.
#pragma once

#include <cstdint>
#include <vector>

#include "tscatter/engine/grouped_entries.hpp"
#include "tscatter/explain/explain.hpp"
#include "tscatter/explain/places.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

struct EntryCensus {
  std::int64_t once = 0;     // destinations with one writer
  std::int64_t several = 0;  // with several
  std::int64_t most_writers = 0;
  std::vector<EntryGroup> busiest;  // most writers first
};

// `most`: how many of the busiest to keep.
EntryCensus take_census(const GroupedEntries& entries, const Places& places, std::int64_t most,
                        const Parallelism& parallelism);

// `destination_elements`: how many a destination has in all batches; `elements`: of the output.
Coverage coverage_of(const EntryCensus& census, std::int64_t destination_elements,
                     std::int64_t elements);
Coverage coverage_of(const LatticeWrites& writes, std::int64_t elements);

// The groups with several entries; `count` is their number. REQUIRES: the entries outlive them.
std::vector<EntryGroup> shared_groups(const GroupedEntries& entries, std::int64_t count);

SharedDestination shared_destination_of(EntryGroup group, const Places& places);

}  // namespace tscatter
