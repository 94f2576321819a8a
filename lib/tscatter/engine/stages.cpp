#include "tscatter/engine/stages.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "tscatter/core/memory.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/engine/tile_hooks.hpp"
#include "tscatter/kernels/move.hpp"

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

namespace {

// One worker: gathers a strip, applies its writes, and puts it where it goes.
class StripWorker {
 public:
  StripWorker(const TileJob& job, const BoxWriters& writers)
      : job_{job}, writers_{writers}, data_{*job.data.source().view()}, worker_{job} {}

  // `band`: rows of the band that begins at `column`; in memory, rows of the output. Without any,
  // each row is written to the output.
  void process(Range box, std::optional<Rows> band, std::int64_t column) {
    const bool holds_data = job_.output.holds_data();
    if (holds_data && !writers_.meets(box)) return;
    const BoxGrid& grid = writers_.grid();
    const BoxGrid::Place place = grid.place_of(box);
    const std::int64_t size = job_.element_size();
    const std::int64_t width = place.columns.length() * size;
    strip_.resize(static_cast<std::size_t>(box.length() * size));
    const std::int64_t begin = grid.row_begin(place.outer, 0, place.columns.begin) * size;
    copy_rows({.first = strip_.data(), .stride = width},
              {.first = data_.data() + begin, .stride = grid.inner() * size}, grid.length(), width);
    job_.data.source().check_view();
    const std::int64_t applied = worker_.apply(box, strip_);
    if (band) {
      band->first += (place.columns.begin - column) * size;
      copy_rows(*band, {.first = strip_.data(), .stride = width}, grid.length(), width);
    } else {
      write(place, width);
    }
    if (!holds_data) traffic_.read += box.length() * size;
    traffic_.written += (holds_data ? applied : box.length()) * size;
    ++strips_;
  }

  TileTraffic traffic() const {
    TileTraffic traffic = traffic_;
    traffic.add(worker_.traffic());
    return traffic;
  }
  std::int64_t strips() const { return strips_; }

 private:
  void write(const BoxGrid::Place& place, std::int64_t width) {
    const BoxGrid& grid = writers_.grid();
    for (std::int64_t row = 0; row < grid.length(); ++row) {
      const auto bytes = std::span<const std::byte>(strip_).subspan(
          static_cast<std::size_t>(row * width), static_cast<std::size_t>(width));
      job_.output.write(grid.row_begin(place.outer, row, place.columns.begin) * job_.element_size(),
                        bytes);
    }
  }

  const TileJob& job_;
  const BoxWriters& writers_;
  std::span<const std::byte> data_;
  TileWorker worker_;
  std::vector<std::byte> strip_;
  TileTraffic traffic_;
  std::int64_t strips_ = 0;
};

class Strips {
 public:
  Strips(const TileJob& job, int threads, const RunOptions& options)
      : job_{job},
        writers_{std::get<BoxWriters>(job.writers.form())},
        grid_{writers_.grid()},
        threads_{threads},
        options_{options} {
    for (int i = 0; i < threads; ++i) workers_.emplace_back(job, writers_);
  }

  void process() {
    if (options_.progress != nullptr) options_.progress->begin(job_.data.byte_size());
    if (const auto memory = job_.output.memory()) {
      process_boxes({.begin = 0, .end = grid_.boxes()}, [&](const BoxGrid::Place& place) -> Target {
        const std::int64_t first = grid_.row_begin(place.outer, 0, 0);
        return {.rows = Rows{.first = memory->data() + first * size(),
                             .stride = grid_.inner() * size()}};
      });
    } else if (job_.output.takes_short_writes()) {
      process_boxes({.begin = 0, .end = grid_.boxes()}, [](const auto&) { return Target(); });
    } else {
      for (std::int64_t band = 0; band <= grid_.bands(); ++band) process_band(band);
    }
  }

  TileTraffic traffic() const {
    TileTraffic sum;
    for (const StripWorker& worker : workers_) {
      sum.add(worker.traffic());
      if (options_.observer == nullptr) continue;
      options_.observer->ended({.tiles = worker.strips(),
                                .bytes_read = worker.traffic().read,
                                .bytes_written = worker.traffic().written});
    }
    return sum;
  }

 private:
  struct Target {
    std::optional<Rows> rows = std::nullopt;
    std::int64_t column = 0;
  };

  std::int64_t size() const { return job_.element_size(); }

  // `before`: what one of the workers does while the others begin.
  template <class TargetOf>
  void process_boxes(Range boxes, const TargetOf& target_of,
                     const std::function<void()>& before = nullptr) {
    const std::int64_t tasks_before = before ? 1 : 0;
    std::atomic<std::size_t> next{0};
    for_each_task(boxes.length() + tasks_before, {.threads = threads_, .stop = options_.stop}, [&] {
      return [&, worker = &workers_[next++]](std::int64_t task) {
        if (task < tasks_before) return before();
        const Range box = grid_.box(boxes.begin + task - tasks_before);
        const Target target = target_of(grid_.place_of(box));
        worker->process(box, target.rows, target.column);
        if (options_.progress != nullptr) options_.progress->add(box.length() * size());
      };
    });
  }

  // Files let one write pass at a time. So one worker writes the band before, and the others begin
  // this one, which takes the other buffer. REQUIRES: `band` is at most the number of bands.
  void process_band(std::int64_t band) {
    std::function<void()> write_before;
    if (band > 0) write_before = [this, band] { write_band(band - 1); };
    if (band == grid_.bands())
      return process_boxes(
          {}, [](const auto&) { return Target{}; }, write_before);
    const Range columns = grid_.columns_of(band);
    const std::int64_t width = columns.length() * size();
    const auto bytes = static_cast<std::size_t>(width * grid_.length());
    const std::span<std::byte> buffer = buffer_of(band).room(bytes);
    process_boxes(
        grid_.strips_of(band),
        [&](const BoxGrid::Place&) -> Target {
          return {.rows = Rows{.first = buffer.data(), .stride = width}, .column = columns.begin};
        },
        write_before);
  }

  void write_band(std::int64_t band) {
    const Range columns = grid_.columns_of(band);
    const auto width = static_cast<std::size_t>(columns.length() * size());
    const std::int64_t outer = grid_.outer_of(band);
    for (std::int64_t row = 0; row < grid_.length(); ++row) {
      const auto first = static_cast<std::size_t>(row) * width;
      job_.output.write(grid_.row_begin(outer, row, columns.begin) * size(),
                        buffer_of(band).span().subspan(first, width));
    }
  }

  Buffer<std::byte>& buffer_of(std::int64_t band) {
    return buffers_[static_cast<std::size_t>(band) % buffers_.size()];
  }

  const TileJob& job_;
  const BoxWriters& writers_;
  const BoxGrid& grid_;
  int threads_;
  const RunOptions& options_;
  std::deque<StripWorker> workers_;
  std::array<Buffer<std::byte>, 2> buffers_;  // of a band each, in turn
};

}  // namespace

TileTraffic process_strips(const TileJob& job, int threads, const RunOptions& options) {
  Strips strips(job, threads, options);
  strips.process();
  return strips.traffic();
}

}  // namespace tscatter
