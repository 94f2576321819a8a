// TileWorker: what one worker does with one tile. Each worker has its own; all share a TileJob,
// which none changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/updates_reader.hpp"
#include "tscatter/engine/writers.hpp"
#include "tscatter/kernels/reduce.hpp"

namespace tscatter {

struct TileJob {
  const Tensor& data;
  const Tensor& updates;
  Sink& output;
  const Writers& writers;
  Reduction reduction;
  ReduceLoop reduce;   // nullptr: overwrite
  std::int64_t phase;  // elements by which the first tile is shorter

  std::int64_t element_size() const { return static_cast<std::int64_t>(data.type().size); }
  std::int64_t tile_elements() const {
    return std::visit([](const auto& w) { return w.tile_elements(); }, writers);
  }
  std::int64_t tiles() const {
    return (data.count() + phase + tile_elements() - 1) / tile_elements();
  }
  Range tile(std::int64_t index) const {
    const std::int64_t begin = index * tile_elements() - phase;
    return {.begin = std::max<std::int64_t>(begin, 0),
            .end = std::min(begin + tile_elements(), data.count())};
  }
  bool overwrites(Range range) const {
    return std::visit([&](const auto& w) { return w.overwrites(range); }, writers);
  }
  bool meets(Range range) const {
    return std::visit([&](const auto& w) { return w.meets(range); }, writers);
  }
  // Whether updates are written where they go without a look at data: whole runs that are not
  // short, where the output takes them so.
  bool writes_runs() const {
    constexpr std::int64_t shortest = 512;  // bytes, at the mean
    return reduction == Reduction::none && output.write_unit() <= 1 &&
           std::visit([&](const auto& w) { return w.run_elements() * element_size() >= shortest; },
                      writers);
  }
  // Whether runs go past the caches: into memory that is larger than they are.
  bool streams_runs() const {
    constexpr std::int64_t shortest = 1024;                               // bytes, at the mean
    constexpr std::int64_t larger_than_caches = std::int64_t{32} << 20U;  // bytes
    return data.byte_size() >= larger_than_caches && output.memory() &&
           std::visit([&](const auto& w) { return w.run_elements() * element_size() >= shortest; },
                      writers);
  }
  // Reductions are computed in native byte order, and only they.
  bool computes_reversed() const {
    return reduction != Reduction::none && !data.type().is_native();
  }
  std::endian working_order() const {
    return reduction != Reduction::none ? std::endian::native : data.type().byte_order;
  }
};

// Bytes of data that were read, and of output that were written.
struct TileTraffic {
  std::int64_t read = 0;
  std::int64_t written = 0;
};

class TileWorker {
 public:
  explicit TileWorker(const TileJob& job)
      : job_{job}, updates_{job.updates, job.working_order()}, streams_{job.streams_runs()} {}

  // REQUIRES: `tile` is job.tile(i) for some i.
  void process(Range tile);

  const TileTraffic& traffic() const { return traffic_; }

 private:
  void process_in_memory(Range tile, std::span<std::byte> memory);
  void process_whole(Range tile);
  void process_touched(Range tile);
  void process_runs(Range tile);
  void load(Range tile, std::span<std::byte> bytes);
  // Returns how many elements of updates were applied.
  std::int64_t apply(Range tile, std::span<std::byte> bytes);

  // Each returns how many elements of updates were applied.
  template <class Record>
  std::int64_t apply_writers(const ElementWriters<Record>& writers, Range tile,
                             std::span<std::byte> bytes);
  std::int64_t apply_writers(const OrderedWriters& writers, Range tile, std::span<std::byte> bytes);
  template <class Form>
  std::int64_t apply_writers(const Form& writers, Range tile, std::span<std::byte> bytes);
  template <class Form>
  std::int64_t apply_runs(const Form& writers, Range tile, std::span<std::byte> bytes);
  std::int64_t move_batches(const OrderedWriters& writers, std::byte* output);

  bool moves_blocks(const OrderedWriters& writers) const;
  void copy(std::byte* into, const std::byte* updates, std::int64_t bytes) const;
  void apply_run(const StridedRun& run, Range tile, std::span<std::byte> bytes);

  // Granules are what is read, changed and written back as one where only a little of a tile is
  // touched. They begin at multiples of their size in the output's file; the tile's first byte lies
  // `lead` bytes inside one.
  struct Granules {
    std::int64_t size;
    std::int64_t lead;
    std::int64_t tile_bytes;
  };
  Granules granules_of(Range tile) const;

  // Marks the granules of the tile that are touched, and calls visit(first byte, bytes) for each
  // row of marked ones.
  void mark_touched(Range tile, const Granules& granules);
  template <class Visit>
  void visit_touched(const Granules& granules, const Visit& visit) const;

  const TileJob& job_;
  UpdatesReader updates_;
  bool streams_;
  std::vector<std::byte> buffer_;
  std::vector<bool> touched_;
  TileTraffic traffic_;
};

}  // namespace tscatter
