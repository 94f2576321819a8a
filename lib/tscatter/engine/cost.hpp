// What applying listed entries costs, by either way: a model in nanoseconds of the wall, whose
// constants were measured (docs/performance.md).
#pragma once

#include <cstdint>

#include "tscatter/engine/run_options.hpp"

namespace tscatter {

// The work of a plan whose writes are listed.
struct EntryWork {
  std::int64_t entries = 0;       // that write something, in all batches
  std::int64_t block_bytes = 0;   // that each writes
  std::int64_t element_size = 1;  // bytes
  std::int64_t target_bytes = 0;  // where they may go
  std::int64_t copied_bytes = 0;  // of data, before anything is written
  bool combines = false;          // by a reduction
  bool is_indexed = false;        // one worker reads indices while it writes: indexed_sum()
  int threads = 1;

  bool are_elements() const { return block_bytes == element_size; }
};

// Of rows that are overwritten this often, on average, only the last write is kept: entries are
// read from the last one on.
constexpr bool keeps_last_rows(std::int64_t entries, std::int64_t rows) {
  return entries >= 2 * rows;
}

// Entries are applied in their order. With several workers, each applies those that go to its part
// of the target, which is one of `ranges`.
double straight_cost(const EntryWork& work, int ranges);

// Each of so many workers applies its share of the entries, in a copy of the target.
double copies_cost(const EntryWork& work, int copies);

// Entries are grouped by tile first; then the workers share the tiles.
double grouped_cost(const EntryWork& work);

EntryCosts entry_costs(const EntryWork& work, int ranges);

// The ranges with which applying entries straight costs least.
int best_ranges(const EntryWork& work);

}  // namespace tscatter
