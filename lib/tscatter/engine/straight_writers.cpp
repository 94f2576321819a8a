#include "tscatter/engine/straight_writers.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "tscatter/core/parallel.hpp"
#include "tscatter/engine/distinct_destinations.hpp"

namespace tscatter {

StraightWriters::StraightWriters(ListedWrites writes, const Grouping& grouping)
    : writes_{std::move(writes)}, stop_{grouping.stop}, tile_elements_{*grouping.straight_tile} {}

WriteSizes StraightWriters::sizes() const {
  const std::int64_t block = writes_.blocks.count();
  const std::int64_t batches = writes_.batches.count();
  const std::int64_t extents = writes_.kept() * batches;
  return {.tile_elements = tile_elements_,
          .elements_per_destination = block * batches,
          .updates_read = extents * block,
          .extents = extents,
          .run_elements = block};
}

bool StraightWriters::is_packed() const {
  const StridedAxes& entries = writes_.entries;
  const StridedAxes& blocks = writes_.blocks;
  return writes_.dropped() == 0 && blocks.is_linear() && blocks.stride() == 1 &&
         writes_.has_linear_entries() &&
         (entries.count() == 1 || entries.stride() == blocks.count());
}

std::int64_t StraightWriters::count_distinct(const Grouping& grouping) const {
  constexpr std::int64_t bits_per_entry = 64;
  const bool are_few = writes_.destinations > bits_per_entry * writes_.kept();
  if (are_few && writes_.reader == nullptr) {
    return writes_.destination_of_entry.visit([]<class T>(std::span<const T> destinations) {
      return DestinationTable<T>().count(destinations);
    });
  }
  if (are_few) {
    std::vector<std::uint32_t> destinations(static_cast<std::size_t>(writes_.reader->size()));
    writes_.reader->read(0, destinations);
    return DestinationTable<std::uint32_t>().count(destinations);
  }
  // Each worker looks at all entries, and counts those of its part.
  std::atomic<std::int64_t> distinct{0};
  const std::int64_t parts = grouping.threads;
  for_each_task(parts, grouping.threads, grouping.stop, [&] {
    return [&](std::int64_t part) {
      const Range own{.begin = writes_.destinations / parts * part,
                      .end = part + 1 == parts ? writes_.destinations
                                               : writes_.destinations / parts * (part + 1)};
      std::vector<bool> is_written(static_cast<std::size_t>(own.length()), false);
      visit_pieces([&](std::int64_t, auto destinations) {
        for (const auto destination : destinations) {
          const auto place =
              static_cast<std::uint64_t>(destination) - static_cast<std::uint64_t>(own.begin);
          if (place < is_written.size() && !is_dropped(destination)) is_written[place] = true;
        }
      });
      distinct += std::count(is_written.begin(), is_written.end(), true);
    };
  });
  return distinct;
}

}  // namespace tscatter
