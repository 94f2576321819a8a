#include "tscatter/engine/engine.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tscatter/core/parallel.hpp"
#include "tscatter/engine/entry_counts.hpp"
#include "tscatter/engine/entry_loops.hpp"
#include "tscatter/engine/stages.hpp"
#include "tscatter/engine/tile_worker.hpp"
#include "tscatter/engine/writers.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {
namespace {

// Entries are listed, if that is allowed, unless they are read in boxes or straight.
void list_entries(ScatterPlan& plan, const Grouping& grouping, const RunOptions& options) {
  const std::optional<std::int64_t> most = options.most_listed();
  const auto* indexed = std::get_if<IndexedWrites>(&plan.writes);
  if (indexed != nullptr && !grouping.boxes)
    plan.writes = indexed->positions->listed(grouping.parallelism, most);
  auto* listed = std::get_if<ListedWrites>(&plan.writes);
  if (listed == nullptr || listed->reader == nullptr || grouping.straight_tile) return;
  if (most && listed->reader->size() > *most) return;
  listed->destination_of_entry =
      list_of(*listed->reader, listed->destinations, grouping.parallelism);
  if (listed->reader_dropped > 0) listed->destination_of_entry.count_dropped();
  listed->reader = nullptr;
}

// The entries that write something.
std::int64_t index_entries(const ScatterPlan& plan) {
  if (const auto* indexed = std::get_if<IndexedWrites>(&plan.writes)) return indexed->kept();
  if (const auto* masked = std::get_if<MaskWrites>(&plan.writes)) return masked->mask->trues();
  const auto* listed = std::get_if<ListedWrites>(&plan.writes);
  return listed == nullptr ? 0 : listed->kept();
}

// Where rows were repeated to the shape of elements, writes them as rows. Not for rows so short
// that elements of their own are as fast. Returns how many index entries are one now.
std::int64_t fold(ScatterPlan& plan, const Tensor& data, const Grouping& grouping) {
  constexpr std::int64_t shortest = 32;  // bytes
  auto* listed = std::get_if<ListedWrites>(&plan.writes);
  if (listed == nullptr) return 1;
  const std::int64_t elements = listed->entries_in_row * listed->blocks.count();
  if (elements * static_cast<std::int64_t>(data.type().size) < shortest) return 1;
  return fold_entries(*listed, grouping.parallelism);
}

// `folded`: how many of the `entries` are one for the writers.
void count(RunCounts& counts, const WriteSizes& sizes, std::int64_t entries, std::int64_t folded,
           std::int64_t distinct) {
  counts.duplicates += entries == 0 ? 0 : entries - distinct * folded;
  counts.elements_written += distinct * sizes.elements_per_destination;
}

// When distinct destinations are counted.
enum class CountTime : std::uint8_t { never, before, beside, on_the_way };

// Whether each worker sees the places of its range, one after another, and can mark them.
bool marks_ranges(const TileJob& job, int threads, const Grouping& grouping) {
  constexpr std::int64_t largest_marks = std::int64_t{32} << 20U;  // bytes, for 8 elements each
  const auto* straight = std::get_if<StraightWriters>(&job.writers.form());
  return straight != nullptr && threads > 1 && grouping.copies == 1 &&
         job.data.count() / 8 <= largest_marks && applies_elements(job, *straight, job.tile(0));
}

// On the way where the indices would be read once more; beside where that leaves a worker idle.
CountTime count_time(const TileJob& job, int threads, const Grouping& grouping, Counting counting) {
  constexpr std::int64_t worth_a_worker = std::int64_t{256} * 1024;  // entries
  if (counting == Counting::left_out) return CountTime::never;
  if (std::holds_alternative<BoxWriters>(job.writers.form())) return CountTime::on_the_way;
  if (marks_ranges(job, threads, grouping)) return CountTime::on_the_way;
  const bool is_idle = grouping.straight_tile && threads < grouping.parallelism.threads;
  return is_idle && job.writers.sizes().extents > worth_a_worker ? CountTime::beside
                                                                 : CountTime::before;
}

// Starting one more worker costs about 100 us.
int tile_threads(const TileJob& job, const Grouping& grouping) {
  const std::int64_t bytes_per_worker = tiles_per_worker * job.tile_elements() * job.element_size();
  constexpr std::int64_t bytes_per_extent = 64;
  if (!job.output.is_random_access()) return 1;
  if (grouping.copies > 1) return grouping.copies;
  if (grouping.straight_tile)
    return static_cast<int>(std::min<std::int64_t>(job.tiles(), grouping.parallelism.threads));
  const WriteSizes& sizes = job.writers.sizes();
  const std::int64_t updates =
      sizes.updates_read * job.element_size() + sizes.extents * bytes_per_extent;
  const std::int64_t copied = job.output.holds_data() ? 0 : job.data.byte_size();
  const std::int64_t useful = (updates + copied) / bytes_per_worker + 1;
  return static_cast<int>(
      std::clamp<std::int64_t>(std::min(job.tiles(), useful), 1, grouping.parallelism.threads));
}

struct FormOf {
  template <class Record>
  WriteForm operator()(const ElementWriters<Record>&) const {
    return WriteForm::elements;
  }
  WriteForm operator()(const BlockWriters&) const { return WriteForm::blocks; }
  WriteForm operator()(const StraightWriters&) const { return WriteForm::straight; }
  WriteForm operator()(const StreamedWriters&) const { return WriteForm::streamed; }
  WriteForm operator()(const LatticeWriters&) const { return WriteForm::lattice; }
  WriteForm operator()(const MaskWriters&) const { return WriteForm::masked; }
  WriteForm operator()(const BoxWriters& writers) const {
    return writers.grid().has_strips() ? WriteForm::strips : WriteForm::slabs;
  }
};

RunDecisions decisions_of(const TileJob& job, int threads, std::int64_t parts) {
  const WriteSizes& sizes = job.writers.sizes();
  return {.form = std::visit(FormOf(), job.writers.form()),
          .runs = sizes.extents,
          .run_elements = sizes.run_elements / parts,
          .tiles = job.tiles(),
          .tile_bytes = job.tile_elements() * job.element_size(),
          .threads = threads,
          .copies = job.copies,
          .is_memory = job.output.memory().has_value(),
          .holds_data = job.output.holds_data()};
}

// The traffic of all workers. Each adds its own when it has no more tiles.
struct Traffic {
  std::mutex mutex;
  TileTraffic sum;
};

class ObservedWorker {
 public:
  ObservedWorker(const TileJob& job, Traffic& traffic, RunObserver* observer)
      : job_{job}, traffic_{traffic}, observer_{observer}, worker_{job} {}
  ObservedWorker(const ObservedWorker&) = delete;
  ObservedWorker& operator=(const ObservedWorker&) = delete;
  ~ObservedWorker() {
    {
      const std::scoped_lock lock(traffic_.mutex);
      traffic_.sum.add(worker_.traffic());
    }
    if (observer_ == nullptr) return;
    observer_->ended({.tiles = tiles_,
                      .bytes_read = worker_.traffic().read,
                      .bytes_written = worker_.traffic().written});
  }

  void process(std::int64_t index) {
    const Range tile = job_.tile(index);
    if (tile.length() <= 0) return;
    worker_.process(tile, index);
    ++tiles_;
  }

 private:
  const TileJob& job_;
  Traffic& traffic_;
  RunObserver* observer_;
  TileWorker worker_;
  std::int64_t tiles_ = 0;
};

// `tiles`: a range of tile numbers, for all of the output or a part of it.
TileTraffic process_tiles(const TileJob& job, Range tiles, int threads, const RunOptions& options) {
  Traffic traffic;
  const Parallelism parallelism{
      .threads = threads, .stop = options.stop, .progress = options.progress};
  for_each_task(tiles.length(), parallelism, job.data.byte_size(), [&] {
    return [tiles, worker = ObservedWorker(job, traffic, options.observer)](
               std::int64_t index) mutable { worker.process(tiles.begin + index); };
  });
  return traffic.sum;
}

// Keeps the old bytes of what is going to be written: each_job(function) calls function(job) for
// the jobs of the run.
template <class EachJob>
void keep(Sink& output, const Grouping& grouping, const RunOptions& options,
          const EachJob& each_job) {
  UndoLog* log = output.undo_log();
  if (log == nullptr) return;
  options.begin(RunPhase::keep);
  std::int64_t bytes = 0;
  each_job([&](const TileJob& job, const auto&...) {
    bytes += keep_old_bytes(job, tile_threads(job, grouping), options, *log);
  });
  log->seal();
  if (options.observer != nullptr) options.observer->kept(bytes);
}

Tensor as_bytes(const Tensor& tensor) {
  return {{.type = ElementType::of(DType::uint8), .shape = {tensor.byte_size()}},
          tensor.shared_source(),
          tensor.name()};
}

// The operands of a run, and what is common to all its jobs.
struct Run {
  const Tensor& data;
  const Tensor& updates;
  Sink& output;
  const RunOptions& options;
  Combiner combiner;
  std::int64_t parts;  // so many elements of these tensors are one element of the caller's

  TileJob job(const Writers& writers, const ScatterPlan& plan, std::int64_t phase,
              std::optional<OutputPart> part) const {
    return {.data = data,
            .updates = updates,
            .output = output,
            .writers = writers,
            .reduction = plan.reduction,
            .initial = plan.initial,
            .mean = plan.mean,
            .combiner = combiner,
            .phase = phase,
            .part = part};
  }
  Range wanted() const {
    const OutputRange wanted = options.range.value_or(OutputRange{.begin = 0, .end = data.count()});
    return {.begin = wanted.begin, .end = wanted.end};
  }
  void decided(const TileJob& job, const Grouping& grouping, std::int64_t windows,
               std::int64_t window_entries) const {
    if (options.observer == nullptr) return;
    RunDecisions decisions = decisions_of(job, tile_threads(job, grouping), parts);
    decisions.costs = grouping.costs;
    decisions.windows = windows;
    decisions.window_entries = window_entries;
    options.observer->decided(decisions);
  }
};

// Returns how many elements at least one update reaches, if the job counts them.
std::int64_t process(const TileJob& job, const Grouping& grouping, const RunOptions& options,
                     RunCounts& counts) {
  const bool has_strips = grouping.boxes && grouping.boxes->has_strips();
  const int threads = tile_threads(job, grouping);
  const TileTraffic traffic =
      has_strips ? process_strips(job, threads, options)
                 : process_tiles(job, {.begin = 0, .end = job.tiles()}, threads, options);
  counts.threads = std::max(counts.threads, threads);
  counts.bytes_read += traffic.read;
  counts.bytes_written += traffic.written;
  return traffic.touched;
}

// The same, while another worker counts the distinct destinations. Returns how many.
std::int64_t process_and_count(const TileJob& job, Grouping grouping, const RunOptions& options,
                               RunCounts& counts) {
  std::int64_t distinct = 0;
  for_each_task(2, {.threads = 2, .stop = options.stop}, [&] {
    return [&](std::int64_t task) {
      if (task == 0) {
        process(job, grouping, options, counts);
      } else {
        Grouping alone = grouping;
        alone.parallelism.threads = 1;
        distinct = job.writers.count_distinct(alone);
      }
    };
  });
  return distinct;
}

RunCounts run_at_once(ScatterPlan plan, const Run& run, Grouping grouping) {
  const std::int64_t entries = index_entries(plan);
  const std::int64_t folded = fold(plan, run.data, grouping);
  if (folded > 1) choose_order(plan, run.data, run.output, run.options, grouping);
  const ScatterPlan facts{.reduction = plan.reduction,
                          .initial = plan.initial,
                          .mean = plan.mean,
                          .accumulation = plan.accumulation,
                          .writes = {}};
  const Writers writers = make_writers(std::move(plan), run.data, run.updates, grouping);
  const std::int64_t phase = grouping.straight_tile ? 0 : grouping.phase;
  TileJob job = run.job(writers, facts, phase, OutputPart{.range = run.wanted()});
  KeptTiles kept;
  if (grouping.boxes && run.output.undo_log() != nullptr) job.kept = &kept;
  job.copies = grouping.copies;
  const WriteSizes& sizes = writers.sizes();
  if (is_sparse(run.data, sizes.extents, sizes.updates_read)) run.output.adopt(run.data.source());
  const CountTime when =
      count_time(job, tile_threads(job, grouping), grouping, run.options.counting);
  job.counts_written = when == CountTime::on_the_way;
  run.options.begin(RunPhase::count);
  std::int64_t distinct = when == CountTime::before ? writers.count_distinct(grouping) : 0;
  run.decided(job, grouping, 1, 0);
  keep(run.output, grouping, run.options, [&](const auto& each) { each(job); });
  run.options.begin(RunPhase::process);
  RunCounts counts{.bytes_read = sizes.updates_read * job.element_size()};
  if (when == CountTime::beside) {
    distinct = process_and_count(job, grouping, run.options, counts);
  } else {
    distinct += process(job, grouping, run.options, counts);
  }
  if (when != CountTime::never) count(counts, sizes, entries, folded, distinct);
  return counts;
}

// Entries that are not listed: window by window. Each has all entries that go to its part of the
// output, so that the order of any two that meet is kept.
RunCounts run_in_windows(const ScatterPlan& plan, const Run& run, Grouping grouping) {
  const auto& writes = std::get<ListedWrites>(plan.writes);
  const EntryGrid grid = entry_grid(writes, run.data.type(), grouping);
  const EntryCounts entries(*writes.reader, grid.buckets, destinations_of(writes, run.wanted()),
                            grouping.parallelism);
  const std::int64_t memory = run.options.entry_memory;
  const std::int64_t most = memory == 0 ? std::numeric_limits<std::int64_t>::max()
                                        : std::max<std::int64_t>(memory / grid.bytes_per_entry, 1);
  const std::vector<Window> windows = windows_of(entries, writes,
                                                 {.most_entries = most,
                                                  .output = run.wanted(),
                                                  .is_sequential = !run.output.is_random_access()});
  const std::int64_t extents = entries.kept() * writes.batches.count();
  if (is_sparse(run.data, extents, extents * writes.blocks.count()))
    run.output.adopt(run.data.source());
  std::vector<KeptTiles> kept(run.output.undo_log() == nullptr ? 0 : windows.size());
  const auto each_job = [&](const auto& function) {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      grouping.window = windows[i].entries;
      const Writers writers = make_writers(plan, run.data, run.updates, grouping);
      TileJob job = run.job(writers, plan, grouping.phase, windows[i].output);
      if (!kept.empty()) job.kept = &kept[i];
      function(job, windows[i]);
    }
  };
  keep(run.output, grouping, run.options, each_job);
  run.options.begin(RunPhase::process);
  RunCounts counts;
  bool is_first = true;
  each_job([&](const TileJob& job, const Window& window) {
    if (std::exchange(is_first, false)) run.decided(job, grouping, std::ssize(windows), most);
    const WriteSizes& sizes = job.writers.sizes();
    if (window.is_first) counts.bytes_read += sizes.updates_read * job.element_size();
    if (window.is_first && run.options.counting == Counting::done)
      count(counts, sizes, entries.kept(window.entries.buckets), 1,
            job.writers.count_distinct(grouping));
    process(job, grouping, run.options, counts);
  });
  return counts;
}

// `parts`: so many elements of these tensors are one element of the caller's.
RunCounts run_parts(ScatterPlan plan, const Tensor& data, const Tensor& updates, Sink& output,
                    const RunOptions& options, std::int64_t parts) {
  options.begin(RunPhase::group);
  Grouping grouping = grouping_of(plan, data, updates, output, options);
  choose_order(plan, data, output, options, grouping);
  list_entries(plan, grouping, options);
  const Run run{.data = data,
                .updates = updates,
                .output = output,
                .options = options,
                .combiner = combiner(data.type().dtype, plan.reduction, plan.accumulation),
                .parts = parts};
  const auto* listed = std::get_if<ListedWrites>(&plan.writes);
  const bool has_windows =
      listed != nullptr && listed->reader != nullptr && !grouping.straight_tile;
  RunCounts counts = has_windows ? run_in_windows(plan, run, grouping)
                                 : run_at_once(std::move(plan), run, grouping);
  counts.elements_written /= parts;
  return counts;
}

}  // namespace

// An element that is longer than a tile is moved as its bytes: no worker holds it whole.
RunCounts run(ScatterPlan plan, const Tensor& data, const Tensor& updates, Sink& output,
              const RunOptions& options) {
  const bool has_nothing = options.range && options.range->begin >= options.range->end;
  if (has_nothing) return {};
  const auto size = static_cast<std::int64_t>(data.type().size);
  const bool moves_bytes = plan.reduction == Reduction::none && data.type() == updates.type();
  if (!moves_bytes || size <= options.tile_bytes)
    return run_parts(std::move(plan), data, updates, output, options, 1);
  list_entries(plan,
               {.parallelism = {.threads = worker_count(options.threads), .stop = options.stop}},
               options);
  RunOptions of_bytes = options;
  if (options.range)
    of_bytes.range =
        OutputRange{.begin = options.range->begin * size, .end = options.range->end * size};
  return run_parts(in_parts(std::move(plan), size), as_bytes(data), as_bytes(updates), output,
                   of_bytes, size);
}

namespace {

// Yields nothing.
class NullSource final : public Source {
 public:
  explicit NullSource(std::int64_t size) : size_{size} {}
  std::int64_t size() const override { return size_; }
  void read(std::int64_t, std::span<std::byte>) const override {}

 private:
  std::int64_t size_;
};

class NullSink final : public Sink {
 public:
  NullSink(const Tensor& data, Placement placement, UndoLog* log)
      : placement_{placement}, log_{log} {
    const auto extent = data.source().extent();
    if (placement == Placement::in_place && extent) page_offset_ = extent->offset;
  }
  void write(std::int64_t, std::span<const std::byte>) override {}
  bool holds_data() const override { return placement_ == Placement::in_place; }
  std::int64_t page_offset() const override { return page_offset_; }
  UndoLog* undo_log() override { return log_; }

 private:
  Placement placement_;
  UndoLog* log_;
  std::int64_t page_offset_ = 0;
};

}  // namespace

RunCounts measure(ScatterPlan plan, const Tensor& data, const Tensor& updates,
                  const RunOptions& options, Placement placement, UndoLog* log) {
  const Tensor no_data(data.header(), std::make_shared<NullSource>(data.byte_size()), data.name());
  const Tensor no_updates(updates.header(), std::make_shared<NullSource>(updates.byte_size()),
                          updates.name());
  NullSink output(data, placement, log);
  return run(std::move(plan), no_data, no_updates, output, options);
}

}  // namespace tscatter
