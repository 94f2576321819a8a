// The stages of a run: its entries are grouped, an undo log is told what will change, and strips
// are written.
#pragma once

#include <cstdint>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/grouping.hpp"
#include "tscatter/engine/run_options.hpp"
#include "tscatter/engine/tile_job.hpp"
#include "tscatter/engine/tile_worker.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// Runs the writes whose boxes are strips: their elements are gathered from data, changed, and put
// into memory, or into a band that is written to the output, row by row, while the next one is
// computed. Throws Error (file), and Cancelled when *options.stop becomes true. REQUIRES: the
// writers of `job` are BoxWriters with strips; data has a view; the output is memory, or takes
// writes in any order and does not hold data.
TileTraffic process_strips(const TileJob& job, int threads, const RunOptions& options);

// How the entries of a run are grouped: its tiles or boxes, and how many workers memory allows.
// Tiles that a worker has at least: for less, another worker is not worth its start.
inline constexpr std::int64_t tiles_per_worker = 4;

Grouping grouping_of(const ScatterPlan& plan, const Tensor& data, const Tensor& updates,
                     Sink& output, const RunOptions& options);

// Whether so little is touched that patching a clone is faster than copying. `extents` and
// `updates_read` as in WriteSizes.
bool is_sparse(const Tensor& data, std::int64_t extents, std::int64_t updates_read);

// Decides whether the entries of a list, or of a reader, are applied in their order instead, where
// they can be: by what both are expected to cost.
void choose_order(const ScatterPlan& plan, const Tensor& data, Sink& output,
                  const RunOptions& options, Grouping& grouping);

// Tells an undo log everything that a run will write, before its first write. Does not seal the
// log. Returns how many bytes it was told of. Throws Error (file), and Cancelled when
// *options.stop becomes true.
std::int64_t keep_old_bytes(const TileJob& job, int threads, const RunOptions& options,
                            UndoLog& log);

}  // namespace tscatter
