// What all forms of writers have in common: how they are grouped, how much they write, and a run of
// writes.
#pragma once

#include <cstdint>
#include <optional>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/engine/box_grid.hpp"
#include "tscatter/engine/entry_counts.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/engine/run_options.hpp"
#include "tscatter/plan/unlisted_writes.hpp"

namespace tscatter {

// How the writers of one run are grouped.
struct Grouping {
  Reduction reduction = Reduction::none;
  std::int64_t tile_elements = 1;
  std::int64_t phase = 0;  // how much shorter the first tile is
  Parallelism parallelism = {};
  bool keeps_entries = false;  // not only the values of single elements
  // The elements of a tile, where entries are not grouped but applied in their order.
  std::optional<std::int64_t> straight_tile = std::nullopt;
  int copies = 1;  // of that tile, in which workers apply their shares of the entries
  std::optional<EntryCosts> costs = std::nullopt;
  std::optional<BoxGrid> boxes = std::nullopt;       // of writes that are not listed
  std::optional<EntryWindow> window = std::nullopt;  // of those whose entries are read again
};

// How much a form writes. All but the first are counts over the whole output.
struct WriteSizes {
  std::int64_t tile_elements = 1;
  std::int64_t elements_per_destination = 1;
  std::int64_t updates_read = 0;
  std::int64_t extents = 0;       // pieces of the output that are written, at most
  std::int64_t run_elements = 1;  // that lie together in updates and in the output
};

// A run of `count` elements: element updates + i * updates_stride of updates goes to element output
// + i * output_stride of the output.
struct StridedRun {
  std::int64_t output = 0;
  std::int64_t updates = 0;
  std::int64_t count = 0;
  std::int64_t output_stride = 1;
  std::int64_t updates_stride = 1;

  // Whether it lies together in both.
  bool is_packed() const { return count == 1 || (output_stride == 1 && updates_stride == 1); }
  Range extent() const {
    return {.begin = output, .end = output + (count - 1) * output_stride + 1};
  }
};

// Calls visit(StridedRun) for the elements `part` of a block that begins at `output` and `updates`.
template <class Visit>
void visit_block(const StridedAxes& block, std::int64_t output, std::int64_t updates, Range part,
                 const Visit& visit) {
  block.visit_pieces(
      part.begin, part.end,
      [&](std::int64_t j, std::int64_t count, std::int64_t offset, std::int64_t stride) {
        visit(StridedRun{.output = output + j,
                         .updates = updates + offset,
                         .count = count,
                         .output_stride = 1,
                         .updates_stride = stride});
      });
}

}  // namespace tscatter
