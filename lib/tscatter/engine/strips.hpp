// Runs the writes whose boxes are strips: their elements are gathered from data, changed, and put
// into memory, or into a band that is written to the output, row by row, while the next one is
// computed. Not part of the installed interface.
#pragma once

#include "tscatter/engine/run_options.hpp"
#include "tscatter/engine/tile_job.hpp"
#include "tscatter/engine/tile_worker.hpp"

namespace tscatter {

// Throws Error (file), and Cancelled when *options.stop becomes true. REQUIRES: the writers of
// `job` are BoxWriters with strips; data has a view; the output is memory, or takes writes in any
// order and does not hold data.
TileTraffic process_strips(const TileJob& job, int threads, const RunOptions& options);

}  // namespace tscatter
