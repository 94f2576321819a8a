// The loops that apply index entries to a tile. Entries that are not grouped: elements a piece at a
// time, rows one by one, both fetched ahead. Blocks of one element, such as rows in Fortran order:
// gathered into records, many for one loop.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tscatter/engine/readers.hpp"
#include "tscatter/engine/tile_hooks.hpp"
#include "tscatter/engine/tile_job.hpp"

namespace tscatter {

// Whether the writes are single elements in one batch that a kernel applies.
bool applies_elements(const TileJob& job, const StraightWriters& writers, Range tile);

// Applies those that go to the tile, which `hooks` count if the job counts what is written, whose
// elements are `bytes`; in job.copies copies, if there are several. Returns how many. REQUIRES:
// applies_elements(…).
std::int64_t apply_elements(const TileJob& job, const StraightWriters& writers, Range tile,
                            std::byte* bytes, UpdatesReader& updates, TileHooks& hooks);

// Whether the writes are rows that lie together in updates, of which the tile has whole ones.
bool applies_rows(const TileJob& job, const StraightWriters& writers, Range tile);

// Whether rows are overwritten so often that only the last write of each is worth its copy.
bool keeps_last_rows(const TileJob& job, const StraightWriters& writers);

struct RowUpdates {
  const std::byte* memory;  // all of updates
  bool stream;              // rows bypass the caches
};

// The same for rows. REQUIRES: applies_rows(…).
std::int64_t apply_rows(const TileJob& job, const StraightWriters& writers, Range tile,
                        std::byte* bytes, const RowUpdates& updates);

// Whether all writes are of one element that a record holds, and of data's own dtype.
bool writes_single_elements(const TileJob& job, const BlockWriters& writers);

// Applies the updates of a tile to `bytes`, its elements, in the order of their entries. `updates`:
// all of them, in the tile's byte order. Returns how many were applied.
// REQUIRES: writes_single_elements(job, writers).
std::int64_t apply_single_elements(const TileJob& job, const BlockWriters& writers, Range tile,
                                   std::byte* bytes, const std::byte* updates);

}  // namespace tscatter
