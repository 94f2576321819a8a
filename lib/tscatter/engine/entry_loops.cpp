#include "tscatter/engine/entry_loops.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/engine/cost.hpp"
#include "tscatter/kernels/move.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/kernels/scatter.hpp"

namespace tscatter {
namespace {

// Those of a piece that go to a tile, side by side.
struct Kept {
  std::vector<std::uint32_t> places;
  std::vector<std::byte> updates;

  void make_room(std::size_t count, std::size_t size) {
    places.resize(std::max(places.size(), count));
    updates.resize(std::max(updates.size(), count * size));
  }
};

constexpr std::int64_t near_bytes = std::int64_t{256} * 1024;  // that the nearest caches hold

// Sums into a tile that the nearest caches hold, straight from the indices. nullopt: not all of
// these are at hand.
std::optional<std::int64_t> sum_indexed(const TileJob& job, const StraightWriters& writers,
                                        Range tile, Range entries, std::byte* bytes,
                                        UpdatesReader& updates) {
  const ListedWrites& writes = writers.writes();
  if (writes.reader == nullptr || tile.length() * job.element_size() > near_bytes)
    return std::nullopt;
  const std::optional<PlainEntries> plain = writes.reader->plain_entries();
  if (!plain) return std::nullopt;
  const IndexedSum sum = indexed_sum(job.data.type().dtype, job.reduction, plain->dtype);
  if (sum == nullptr) return std::nullopt;
  const auto index_size = static_cast<std::int64_t>(info(plain->dtype).size);
  const auto size = static_cast<std::uint64_t>(tile.length());
  writers.visit_parts(entries, [&](std::int64_t first, std::int64_t count) {
    const std::byte* values = updates.fetch({.updates = writes.update_of(first),
                                             .count = count,
                                             .updates_stride = writes.entries.stride()});
    const std::int64_t added = sum(bytes, size, plain->from_the_end ? size : 0,
                                   plain->indices + first * index_size, values, count);
    if (added == count) return;
    // It has changed since it was checked: the reader says where.
    std::uint32_t destination = 0;
    writes.reader->read(first + added, {&destination, 1});
    refuse_changed_entries();
  });
  return entries.length();
}

template <std::size_t size>
std::int64_t apply_elements_of(const TileJob& job, const StraightWriters& writers, Range tile,
                               Range entries, std::byte* bytes, UpdatesReader& updates,
                               TileHooks* hooks) {
  const ListedWrites& writes = writers.writes();
  const auto fetching =
      static_cast<Fetching>(tile.length() * static_cast<std::int64_t>(size) > near_bytes);
  const PlacedLoop apply = placed_loop(job.data.type().dtype, size, job.reduction, fetching);
  std::uint64_t* const marks = hooks == nullptr ? nullptr : hooks->bits();
  const MarkingLoop apply_and_mark =
      marks == nullptr ? nullptr : marking_loop(job.data.type().dtype, size, job.reduction);
  const bool is_whole = tile.length() == writes.destinations && writes.dropped() == 0;
  if (is_whole) {
    if (const auto added = sum_indexed(job, writers, tile, entries, bytes, updates)) return *added;
  }
  std::int64_t applied = 0;
  Kept kept;
  writers.visit_pieces(entries, [&]<class Destination>(std::int64_t first,
                                                       std::span<const Destination> destinations) {
    const std::byte* values = updates.fetch({.updates = writes.update_of(first),
                                             .count = std::ssize(destinations),
                                             .updates_stride = writes.entries.stride()});
    if constexpr (sizeof(Destination) == sizeof(std::uint32_t)) {
      if (is_whole) {
        applied += std::ssize(destinations);
        return apply(bytes, destinations.data(), values, std::ssize(destinations));
      }
    }
    kept.make_room(destinations.size() + keep_ahead, size);
    const std::size_t count = keep_within<size>(destinations, static_cast<Destination>(tile.begin),
                                                static_cast<Destination>(tile.length()), values,
                                                kept.places.data(), kept.updates.data());
    const auto some = static_cast<std::int64_t>(count);
    applied += some;
    if (apply_and_mark != nullptr)
      return apply_and_mark(bytes, marks, kept.places.data(), kept.updates.data(), some);
    apply(bytes, kept.places.data(), kept.updates.data(), some);
    if (hooks != nullptr) hooks->count({kept.places.data(), count}, 0);
  });
  return applied;
}

struct Row {
  std::byte* into;
  const std::byte* from;
};

struct RowWork {
  ReduceLoop reduce;  // nullptr: rows are copied
  std::int64_t elements;
  std::int64_t bytes;
  bool skips;  // rows of updates between these: the others are read in sequence
};

// Fetches so many cache lines: by a loop, rows of 64 to 448 bytes take 1.1 to 1.25 times as long.
// 0 lines: those of the first bytes; what follows is fetched by the processor itself.
template <std::size_t lines>
void fetch(const std::byte* first, std::int64_t bytes) {
  constexpr std::int64_t most = 1024;  // bytes
  constexpr std::size_t line = 64;
  if constexpr (lines == 0) {
    prefetch(first, std::min(bytes, most));
  } else {
    [first]<std::size_t... i>(std::index_sequence<i...>) {
      (__builtin_prefetch(first + i * line), ...);
    }
    (std::make_index_sequence<lines>());
  }
}

// Copies or combines the rows in order, each fetched while those before it are written.
template <std::size_t lines>
void write_rows(std::span<const Row> rows, const RowWork& work) {
  constexpr std::size_t ahead =
      lines == 0 ? 8 : std::clamp<std::size_t>(96 / lines, 8, 48);  // rows
  constexpr std::ptrdiff_t behind = 4096;  // bytes: of updates that are read in sequence
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [into, from] = rows[i];
    const Row& next = rows[std::min(i + ahead, rows.size() - 1)];
    fetch<lines>(next.into, work.bytes);
    fetch<lines>(work.skips ? next.from : from + behind, work.bytes);
    if (work.reduce != nullptr) {
      work.reduce(into, from, work.elements);
    } else {
      std::memcpy(into, from, static_cast<std::size_t>(work.bytes));
    }
  }
}

using RowLoop = void (*)(std::span<const Row>, const RowWork&);

// Rows may begin anywhere in a line, as those of NumPy's arrays do.
RowLoop row_loop(std::int64_t bytes) {
  static constexpr std::array loops{write_rows<1>, write_rows<2>, write_rows<3>, write_rows<4>,
                                    write_rows<5>, write_rows<6>, write_rows<7>, write_rows<8>};
  const auto lines = static_cast<std::size_t>(bytes / 64);
  return lines < loops.size() ? loops[lines] : write_rows<0>;
}

// Rows on their way into a tile.
class RowWriter {
 public:
  RowWriter(const TileJob& job, const StraightWriters& writers, Range tile, std::byte* bytes,
            const RowUpdates& updates)
      : work_{.reduce = job.combiner.reduce,
              .elements = writers.writes().blocks.count(),
              .bytes = writers.writes().blocks.count() * job.element_size(),
              .skips = tile.length() < job.data.count() || keeps_last_rows(job, writers)},
        loop_{row_loop(work_.bytes)},
        tile_{bytes},
        updates_{updates} {}

  // Adds a row if it `is_within` the tile, without a branch on that, which nothing could predict.
  // `place`: its number there; `update`: where it begins in updates, in bytes.
  void add_if(bool is_within, std::int64_t place, std::int64_t update) {
    rows_[count_] = {tile_ + (is_within ? place : 0) * work_.bytes, updates_.memory + update};
    count_ += is_within ? 1 : 0;
    if (count_ == rows_.size()) flush();
  }
  // Returns how many rows were written in all.
  std::int64_t finish() {
    flush();
    return written_;
  }

 private:
  void flush() {
    const std::span<const Row> rows = std::span<const Row>(rows_).first(count_);
    if (updates_.stream && work_.reduce == nullptr) {
      for (std::size_t i = 0; i < rows.size(); ++i)
        stream(rows[i].into, rows[i].from, static_cast<std::size_t>(work_.bytes),
               rows[std::min(i + 1, rows.size() - 1)].from);
    } else {
      loop_(rows, work_);
    }
    written_ += static_cast<std::int64_t>(count_);
    count_ = 0;
  }

  RowWork work_;
  RowLoop loop_;
  std::byte* tile_;
  RowUpdates updates_;
  std::array<Row, 512> rows_;
  std::size_t count_ = 0;
  std::int64_t written_ = 0;
};

}  // namespace

bool applies_elements(const TileJob& job, const StraightWriters& writers, Range tile) {
  const ListedWrites& writes = writers.writes();
  const ElementType& type = job.data.type();
  return writes.blocks.count() == 1 && writes.batches.count() == 1 && writes.has_linear_entries() &&
         !job.combiner.is_wide() && tile.length() < std::numeric_limits<std::uint32_t>::max() &&
         placed_loop(type.dtype, type.size, job.reduction) != nullptr;
}

namespace {

std::int64_t apply_share(const TileJob& job, const StraightWriters& writers, Range tile,
                         Range entries, std::byte* bytes, UpdatesReader& updates,
                         TileHooks* hooks) {
  switch (job.data.type().size) {
    case 1: return apply_elements_of<1>(job, writers, tile, entries, bytes, updates, hooks);
    case 2: return apply_elements_of<2>(job, writers, tile, entries, bytes, updates, hooks);
    case 4: return apply_elements_of<4>(job, writers, tile, entries, bytes, updates, hooks);
    case 8: return apply_elements_of<8>(job, writers, tile, entries, bytes, updates, hooks);
    default: return apply_elements_of<16>(job, writers, tile, entries, bytes, updates, hooks);
  }
}

// The first copy is the tile itself. The others begin with the reduction's identity.
std::int64_t apply_in_copies(const TileJob& job, const StraightWriters& writers, Range tile,
                             std::byte* bytes) {
  constexpr std::int64_t piece = std::int64_t{256} * 1024;  // bytes that are combined at once
  const std::int64_t copies = job.copies;
  const std::int64_t entries = writers.entries();
  const std::int64_t size = job.element_size();
  const std::vector<std::byte> start =
      start_value(job.data.type().dtype, job.reduction, InitialValue::identity);
  std::vector<std::unique_ptr<std::byte[]>> others(static_cast<std::size_t>(copies));
  std::atomic<std::int64_t> applied{0};
  for_each_task(copies, {.threads = job.copies}, [&] {
    return
        [&, updates = UpdatesReader(job.updates, job.working_order())](std::int64_t share) mutable {
          std::byte* into = bytes;
          if (share > 0) {
            const auto tile_bytes = static_cast<std::size_t>(tile.length() * size);
            auto& own = others[static_cast<std::size_t>(share)];
            own = std::make_unique_for_overwrite<std::byte[]>(tile_bytes);
            into = own.get();
            repeat(start, {into, tile_bytes});
          }
          const Range part{.begin = entries / copies * share,
                           .end = share + 1 == copies ? entries : entries / copies * (share + 1)};
          applied += apply_share(job, writers, tile, part, into, updates, nullptr);
        };
  });
  const std::int64_t length = piece / size;
  for_each_task((tile.length() + length - 1) / length, {.threads = job.copies}, [&] {
    return [&](std::int64_t number) {
      const std::int64_t first = number * length;
      for (std::size_t other = 1; other < others.size(); ++other)
        job.combiner.reduce(bytes + first * size, others[other].get() + first * size,
                            std::min(length, tile.length() - first));
    };
  });
  return applied;
}

}  // namespace

std::int64_t apply_elements(const TileJob& job, const StraightWriters& writers, Range tile,
                            std::byte* bytes, UpdatesReader& updates, TileHooks& hooks) {
  if (job.copies > 1) return apply_in_copies(job, writers, tile, bytes);
  return apply_share(job, writers, tile, {.begin = 0, .end = writers.entries()}, bytes, updates,
                     job.counts_written ? &hooks : nullptr);
}

bool applies_rows(const TileJob& job, const StraightWriters& writers, Range tile) {
  const StridedAxes& blocks = writers.writes().blocks;
  const std::int64_t block = blocks.count();
  const bool is_packed = block == 1 || (blocks.is_linear() && blocks.stride() == 1);
  return block > 0 && is_packed && !job.combiner.is_wide() && tile.begin % block == 0 &&
         tile.end % block == 0;
}

bool keeps_last_rows(const TileJob& job, const StraightWriters& writers) {
  return job.combiner.reduce == nullptr &&
         keeps_last_rows(writers.entries(), writers.writes().destinations);
}

namespace {

// From the last entry on, until each row of the tile is written once.
std::int64_t write_last_rows(const TileJob& job, const StraightWriters& writers, Range tile,
                             std::byte* bytes, const RowUpdates& updates) {
  const ListedWrites& writes = writers.writes();
  const std::int64_t block = writes.blocks.count();
  RowWriter rows(job, writers, tile, bytes, updates);
  std::vector<bool> is_written(static_cast<std::size_t>(tile.length() / block));
  writers.visit_batches(tile, [&](std::int64_t output, std::int64_t update) {
    const std::int64_t shift = (output - tile.begin) / block;
    const Range batch{.begin = output, .end = output + writers.batch_size()};
    std::int64_t missing = intersection(batch, tile).length() / block;
    writers.visit_pieces_backward([&](std::int64_t first, auto destinations) {
      for (std::size_t i = destinations.size(); i > 0 && missing > 0; --i) {
        if (is_dropped(destinations[i - 1])) continue;
        const auto place =
            static_cast<std::size_t>(shift + static_cast<std::int64_t>(destinations[i - 1]));
        if (place >= is_written.size() || is_written[place]) continue;
        is_written[place] = true;
        --missing;
        const std::int64_t entry = first + static_cast<std::int64_t>(i) - 1;
        rows.add_if(true, static_cast<std::int64_t>(place),
                    (update + writes.update_of(entry)) * job.element_size());
      }
      return missing > 0;
    });
  });
  const std::int64_t written = rows.finish();
  if (updates.stream) finish_streams();
  return written * block;
}

}  // namespace

std::int64_t apply_rows(const TileJob& job, const StraightWriters& writers, Range tile,
                        std::byte* bytes, const RowUpdates& updates) {
  if (keeps_last_rows(job, writers)) return write_last_rows(job, writers, tile, bytes, updates);
  const ListedWrites& writes = writers.writes();
  const std::int64_t block = writes.blocks.count();
  const std::int64_t size = job.element_size();
  RowWriter rows(job, writers, tile, bytes, updates);
  const std::int64_t end = tile.length() / block;
  writers.visit_batches(tile, [&](std::int64_t output, std::int64_t update) {
    const std::int64_t shift = (output - tile.begin) / block;
    writers.visit_pieces([&](std::int64_t entry, auto destinations) {
      for (const auto destination : destinations) {
        const std::int64_t place = shift + static_cast<std::int64_t>(destination);
        const bool is_within = static_cast<std::uint64_t>(place) < static_cast<std::uint64_t>(end);
        rows.add_if(is_within && !is_dropped(destination), place,
                    (update + writes.update_of(entry++)) * size);
      }
    });
  });
  const std::int64_t written = rows.finish();
  if (updates.stream) finish_streams();
  return written * block;
}

namespace {

// Collects records and applies them when there are enough.
template <class Record>
class RecordBatch {
 public:
  static constexpr std::size_t most_at_once = 1024;

  RecordBatch(ScatterLoop<Record> loop, std::byte* tile) : loop_{loop}, tile_{tile} {}

  // Write at most most_at_once records from end() on, then pass the end of the last to extend().
  Record* end() { return records_.data() + count_; }
  void extend(const Record* end) {
    count_ = static_cast<std::size_t>(end - records_.data());
    if (count_ >= most_at_once) flush();
  }
  // Returns how many records were applied in all.
  std::int64_t finish() {
    flush();
    return applied_;
  }

 private:
  void flush() {
    loop_(tile_, 0, std::span(records_).first(count_));
    applied_ += static_cast<std::int64_t>(count_);
    count_ = 0;
  }

  ScatterLoop<Record> loop_;
  std::byte* tile_;
  std::array<Record, 2 * most_at_once> records_{};  // few enough for the first cache
  std::size_t count_ = 0;
  std::int64_t applied_ = 0;
};

// Without a branch on whether a candidate writes into the tile, which nothing could predict.
template <std::size_t width, class Record, class UpdateOf>
Record* gather(Record* into, std::span<const IndexEntry> candidates, Range destinations,
               std::int64_t place_of_first, const UpdateOf& update_of) {
  const auto wanted = static_cast<std::uint64_t>(destinations.length());
  const auto first = static_cast<std::uint32_t>(place_of_first);
  for (const IndexEntry& candidate : candidates) {
    const auto behind = static_cast<std::uint64_t>(candidate.destination - destinations.begin);
    into->destination = first + static_cast<std::uint32_t>(behind);
    std::memcpy(into->value.data(), update_of(candidate.entry), width);
    into += behind < wanted ? 1 : 0;
  }
  return into;
}

template <std::size_t width, class Record, class UpdateOf>
void gather_all(RecordBatch<Record>& batch, std::span<const IndexEntry> candidates,
                Range destinations, std::int64_t place_of_first, const UpdateOf& update_of) {
  while (!candidates.empty()) {
    const std::size_t count = std::min(candidates.size(), batch.most_at_once);
    batch.extend(gather<width>(batch.end(), candidates.first(count), destinations, place_of_first,
                               update_of));
    candidates = candidates.subspan(count);
  }
}

template <std::size_t width, class Record>
std::int64_t apply(const TileJob& job, const BlockWriters& writers, Range tile, std::byte* bytes,
                   const std::byte* updates) {
  constexpr auto size = static_cast<std::int64_t>(width);
  const ListedWrites& writes = writers.writes();
  const DType dtype = job.data.type().dtype;
  RecordBatch<Record> batch(scatter_loop<Record>(dtype, width, job.reduction), bytes);
  const std::span<const std::uint32_t> places = writers.places();
  const PlacedLoop placed = placed_loop(dtype, width, job.reduction);
  std::int64_t applied = 0;
  writers.visit_batches(tile, [&](std::int64_t number, Range, Range destinations,
                                  std::span<const IndexEntry> candidates) {
    const std::int64_t first = number * writes.destinations + destinations.begin - tile.begin;
    const std::byte* const from = updates + writes.batches.offset(number) * size;
    if (!places.empty() && destinations.length() == writes.destinations) {
      placed(bytes + first * size, places.data(), from, std::ssize(places));
      applied += std::ssize(places);
      return;
    }
    if (writes.has_linear_entries()) {
      const std::int64_t step = writes.entries.stride() * size;
      gather_all<width>(batch, candidates, destinations, first,
                        [=](std::int64_t entry) { return from + entry * step; });
    } else {
      gather_all<width>(batch, candidates, destinations, first,
                        [&](std::int64_t entry) { return from + writes.update_of(entry) * size; });
    }
  });
  return applied + batch.finish();
}

}  // namespace

bool writes_single_elements(const TileJob& job, const BlockWriters& writers) {
  const std::size_t size = job.data.type().size;
  const bool fits = (size == 1 || size == 2 || size == 4 || size == 8) &&
                    std::in_range<std::uint32_t>(job.tile_elements());
  return fits && writers.writes().blocks.count() == 1 && !job.combiner.is_wide();
}

std::int64_t apply_single_elements(const TileJob& job, const BlockWriters& writers, Range tile,
                                   std::byte* bytes, const std::byte* updates) {
  switch (job.data.type().size) {
    case 1: return apply<1, SmallRecord>(job, writers, tile, bytes, updates);
    case 2: return apply<2, SmallRecord>(job, writers, tile, bytes, updates);
    case 4: return apply<4, SmallRecord>(job, writers, tile, bytes, updates);
    case 8: return apply<8, LargeRecord>(job, writers, tile, bytes, updates);
    default: unreachable();
  }
}

}  // namespace tscatter
