#include "tscatter/engine/single_elements.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "tscatter/core/unreachable.hpp"

namespace tscatter {
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
