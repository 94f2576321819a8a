#include "tscatter/engine/undo.hpp"

#include <algorithm>
#include <vector>

#include "tscatter/core/parallel.hpp"
#include "tscatter/engine/touched_granules.hpp"

namespace tscatter {
namespace {

// What one worker has found and not yet told.
class TouchedRanges {
 public:
  TouchedRanges(const TileJob& job, UndoLog& log) : job_{job}, log_{log} {}

  void add(Range tile) {
    if (!job_.meets(tile)) return;
    const std::int64_t origin = tile.begin * job_.element_size();
    // Runs are written as they are, and are not short: they are kept about as they are.
    constexpr std::int64_t cache_line = 64;
    granules_.mark(job_, tile, job_.writes_runs() ? cache_line : job_.granule_size());
    granules_.visit([&](std::int64_t first, std::int64_t count) {
      append({.begin = origin + first, .end = origin + first + count});
    });
  }

  void tell() {
    if (!ranges_.empty()) log_.keep(ranges_, buffer_);
    ranges_.clear();
  }

 private:
  void append(ByteRange range) {
    if (!ranges_.empty() && ranges_.back().end == range.begin) {
      ranges_.back().end = range.end;
    } else {
      ranges_.push_back(range);
    }
  }

  const TileJob& job_;
  UndoLog& log_;
  TouchedGranules granules_;
  std::vector<ByteRange> ranges_;
  std::vector<std::byte> buffer_;
};

}  // namespace

void keep_old_bytes(const TileJob& job, int threads, const std::atomic<bool>* stop, UndoLog& log) {
  constexpr std::int64_t tiles_per_task = 32;
  const std::int64_t tasks = (job.tiles() + tiles_per_task - 1) / tiles_per_task;
  for_each_task(tasks, threads, stop, [&] {
    return [&, ranges = TouchedRanges(job, log)](std::int64_t task) mutable {
      const std::int64_t end = std::min((task + 1) * tiles_per_task, job.tiles());
      for (std::int64_t i = task * tiles_per_task; i < end; ++i) ranges.add(job.tile(i));
      ranges.tell();
    };
  });
  log.seal();
}

}  // namespace tscatter
