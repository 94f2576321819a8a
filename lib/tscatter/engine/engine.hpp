// The engine: runs a plan from source to sink, tile by tile. A tile is a range of the output that
// one worker reads, changes and writes, so no tensor is held whole and no worker waits for another.
// The result is, bit for bit, what applying the entries one by one in order leaves, whatever the
// number of workers and the size of the tiles.
//
// Where the output is memory, tiles are computed in it. Where it holds data's bytes (a file in
// place, a clone), only what is touched is read and written, in units of 512 bytes or of
// Sink::write_unit(). Where it is a pipe, one worker writes it from front to back.
#pragma once

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/run_options.hpp"

namespace tscatter {

struct ScatterPlan;

// Applies `plan` to `data` and writes the result, in data's byte and memory order, to `output`.
// Throws Error (file) when an operand cannot be read or the output cannot be written, Cancelled
// when stopped. REQUIRES: the plan was lowered from these operands; output has data's size in
// bytes.
RunCounts run(ScatterPlan plan, const Tensor& data, const Tensor& updates, Sink& output,
              const RunOptions& options = {});

// The counts that run() would return, without reading data or updates or writing anything. `log`:
// what a change in place would tell its own.
RunCounts measure(ScatterPlan plan, const Tensor& data, const Tensor& updates,
                  const RunOptions& options = {}, Placement placement = Placement::copy,
                  UndoLog* log = nullptr);

}  // namespace tscatter
