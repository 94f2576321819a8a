// TileWorker: what one worker does with one tile. Each worker has its own; all share a TileJob.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tscatter/core/memory.hpp"
#include "tscatter/engine/readers.hpp"
#include "tscatter/engine/tile_hooks.hpp"
#include "tscatter/engine/tile_job.hpp"
#include "tscatter/engine/writers.hpp"

namespace tscatter {

// What was done to tiles: bytes of data that were read, of output written, and elements that at
// least one update reaches, if the job counts these.
struct TileTraffic {
  std::int64_t read = 0;
  std::int64_t written = 0;
  std::int64_t touched = 0;

  void add(const TileTraffic& other) {
    read += other.read;
    written += other.written;
    touched += other.touched;
  }
};

class TileWorker {
 public:
  explicit TileWorker(const TileJob& job)
      : job_{job},
        hooks_{job},
        updates_{job.updates, job.working_order()},
        streams_{job.streams_runs() && updates_.in_memory() != nullptr} {}

  // Reads data's bytes, unless updates overwrite them all; applies the writes; writes the tile.
  // Throws Error (file). REQUIRES: `tile` is job.tile(index).
  void process(Range tile, std::int64_t index);

  // Applies all writes of the tile, whose elements are `bytes`, in order, with what TileHooks does
  // before and after; then checks that the mapping of updates still holds. Returns how many
  // elements of updates were applied. REQUIRES: `tile` is one of the writers' tiles or boxes.
  std::int64_t apply(Range tile, std::span<std::byte> bytes);

  const TileTraffic& traffic() const { return traffic_; }

 private:
  void process_in_memory(Range tile, std::span<std::byte> memory);
  void process_whole(Range tile);
  void process_touched(Range tile, std::int64_t index);
  void process_runs(Range tile, std::int64_t index);
  void load(Range tile, std::span<std::byte> bytes);
  // Each returns how many elements of updates were applied. `bytes`: values of the tile, in the
  // accumulator's dtype.
  template <class Record>
  std::int64_t apply_writers(const ElementWriters<Record>& writers, Range tile,
                             std::span<std::byte> bytes);
  std::int64_t apply_writers(const StraightWriters& writers, Range tile,
                             std::span<std::byte> bytes);
  std::int64_t apply_writers(const BlockWriters& writers, Range tile, std::span<std::byte> bytes);
  std::int64_t apply_writers(const BoxWriters& writers, Range box, std::span<std::byte> bytes);
  std::int64_t apply_writers(const MaskWriters& writers, Range tile, std::span<std::byte> bytes);
  template <class Form>
  std::int64_t apply_writers(const Form& writers, Range tile, std::span<std::byte> bytes);
  template <class Form>
  std::int64_t apply_runs(const Form& writers, Range tile, std::span<std::byte> bytes);
  template <class Form>
  std::int64_t stream_runs(const Form& writers, Range tile, std::span<std::byte> bytes);
  std::int64_t move_blocks(const StraightWriters& writers, std::byte* output);

  // Updates side by side, and where each goes.
  struct PlacedUpdates {
    const std::uint32_t* places;
    const std::byte* updates;
    std::int64_t count;
    std::int64_t origin;  // the element that places count from
  };
  void place(const BoxWriters& writers, const PlacedUpdates& updates, std::byte* values);

  bool moves_blocks(const StraightWriters& writers, Range tile) const;
  void apply_run(const StridedRun& run, Range tile, std::span<std::byte> bytes);

  const TileJob& job_;
  TileHooks hooks_;
  UpdatesReader updates_;
  bool streams_;
  Buffer<std::byte> buffer_;
  TouchedGranules touched_;
  TileTraffic traffic_;
};

}  // namespace tscatter
