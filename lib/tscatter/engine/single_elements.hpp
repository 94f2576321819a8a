// Applies blocks of one element each, such as rows in Fortran order: gathers them into records, and
// lets one loop apply many records. Not part of the installed interface.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tscatter/engine/tile_job.hpp"

namespace tscatter {

// Whether all writes are of one element that a record holds, and of data's own dtype.
bool writes_single_elements(const TileJob& job, const BlockWriters& writers);

// Applies the updates of a tile to `bytes`, its elements, in the order of their entries. `updates`:
// all of them, in the tile's byte order. Returns how many were applied.
// REQUIRES: writes_single_elements(job, writers).
std::int64_t apply_single_elements(const TileJob& job, const BlockWriters& writers, Range tile,
                                   std::byte* bytes, const std::byte* updates);

}  // namespace tscatter
