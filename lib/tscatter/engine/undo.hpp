// Tells an undo log everything that a run will write, before its first write.
#pragma once

#include "tscatter/core/bytes.hpp"
#include "tscatter/engine/run_options.hpp"
#include "tscatter/engine/tile_job.hpp"

namespace tscatter {

// Does not seal the log. Returns how many bytes it was told of. Throws Error (file), and Cancelled
// when *options.stop becomes true.
std::int64_t keep_old_bytes(const TileJob& job, int threads, const RunOptions& options,
                            UndoLog& log);

}  // namespace tscatter
