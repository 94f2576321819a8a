#include <algorithm>
#include <vector>

#include "tscatter/core/parallel.hpp"
#include "tscatter/engine/stages.hpp"
#include "tscatter/engine/touched_granules.hpp"

namespace tscatter {
namespace {

// What one worker has found and not yet told the log.
class TouchedRanges {
 public:
  TouchedRanges(const TileJob& job, UndoLog& log) : job_{job}, log_{log} {}

  void add(std::int64_t index) {
    const Range tile = job_.tile(index);
    if (tile.length() <= 0) return;
    if (job_.writes_runs()) {
      add_runs(tile);
      if (job_.kept != nullptr) job_.kept->keep(index, job_.sum_of_runs(tile));
    } else if (job_.writers.meets(tile)) {
      add_granules(tile);
      if (job_.kept != nullptr) job_.kept->keep(index, granules_.sum());
    }
  }

  // Returns how many bytes they are.
  std::int64_t tell() {
    if (!ranges_.empty()) log_.keep(ranges_, buffer_);
    std::int64_t bytes = 0;
    for (const ByteRange range : ranges_) bytes += range.size();
    ranges_.clear();
    return bytes;
  }

 private:
  // Adds what is written without reading data.
  void add_runs(Range tile) {
    const std::int64_t size = job_.element_size();
    runs_.clear();
    job_.writers.visit_extents(tile, [&](Range extent) {
      runs_.push_back({.begin = extent.begin * size, .end = extent.end * size});
    });
    const auto by_begin = [](ByteRange a, ByteRange b) { return a.begin < b.begin; };
    if (!std::is_sorted(runs_.begin(), runs_.end(), by_begin))
      std::sort(runs_.begin(), runs_.end(), by_begin);
    for (const ByteRange run : runs_) append(run);
  }

  // Adds what is read, changed and written back.
  void add_granules(Range tile) {
    const std::int64_t origin = tile.begin * job_.element_size();
    granules_.mark(job_, tile, job_.granule_size());
    granules_.visit([&](std::int64_t first, std::int64_t count) {
      append({.begin = origin + first, .end = origin + first + count});
    });
  }

  // Ranges ascend; adjacent ones become one.
  void append(ByteRange range) {
    if (!ranges_.empty() && range.begin <= ranges_.back().end) {
      ranges_.back().end = std::max(ranges_.back().end, range.end);
    } else {
      ranges_.push_back(range);
    }
  }

  const TileJob& job_;
  UndoLog& log_;
  TouchedGranules granules_;
  std::vector<ByteRange> runs_;  // of one tile
  std::vector<ByteRange> ranges_;
  std::vector<std::byte> buffer_;
};

}  // namespace

std::int64_t keep_old_bytes(const TileJob& job, int threads, const RunOptions& options,
                            UndoLog& log) {
  constexpr std::int64_t tiles_per_task = 32;
  const std::int64_t tasks = (job.tiles() + tiles_per_task - 1) / tiles_per_task;
  std::atomic<std::int64_t> bytes{0};
  if (job.kept != nullptr) job.kept->begin(job.tiles());
  const Parallelism parallelism{
      .threads = threads, .stop = options.stop, .progress = options.progress};
  for_each_task(tasks, parallelism, job.data.byte_size(), [&] {
    return [&, ranges = TouchedRanges(job, log)](std::int64_t task) mutable {
      const std::int64_t end = std::min((task + 1) * tiles_per_task, job.tiles());
      for (std::int64_t i = task * tiles_per_task; i < end; ++i) ranges.add(i);
      bytes += ranges.tell();
    };
  });
  return bytes;
}

}  // namespace tscatter
