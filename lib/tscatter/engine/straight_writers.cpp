#include "tscatter/engine/straight_writers.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "tscatter/core/memory.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/engine/grouped_entries.hpp"

namespace tscatter {

StraightWriters::StraightWriters(ListedWrites writes, const Grouping& grouping)
    : writes_{std::move(writes)},
      stop_{grouping.parallelism.stop},
      tile_elements_{*grouping.straight_tile},
      piece_{std::clamp<std::int64_t>(
          elements_at_once / std::max<std::int64_t>(writes_.blocks.count(), 1), fewest, most)} {}

WriteSizes StraightWriters::sizes() const {
  const StridedAxes& blocks = writes_.blocks;
  const std::int64_t block = blocks.count();
  const std::int64_t batches = writes_.batches.count();
  const std::int64_t extents = writes_.kept() * batches;
  return {.tile_elements = tile_elements_,
          .elements_per_destination = block * batches,
          .updates_read = extents * block,
          .extents = extents,
          .run_elements = blocks.is_linear() && blocks.stride() == 1 ? block : 1};
}

bool StraightWriters::is_packed() const {
  const StridedAxes& entries = writes_.entries;
  const StridedAxes& blocks = writes_.blocks;
  return writes_.dropped() == 0 && blocks.is_linear() && blocks.stride() == 1 &&
         writes_.has_linear_entries() &&
         (entries.count() == 1 || entries.stride() == blocks.count());
}

std::int64_t StraightWriters::count_distinct(const Grouping& grouping) const {
  constexpr std::int64_t marks_per_entry = 16;           // bytes
  constexpr std::int64_t largest_marks = 16 * mebibyte;  // of all workers
  const bool are_few = writes_.destinations > marks_per_entry * writes_.kept();
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
  // Each worker marks what its share of the entries writes; a place more takes dropped ones.
  const std::int64_t parts = std::clamp<std::int64_t>(largest_marks / (writes_.destinations + 1), 1,
                                                      grouping.parallelism.threads);
  std::vector<std::vector<std::uint8_t>> marks(static_cast<std::size_t>(parts));
  const std::int64_t entries = this->entries();
  for_each_task(parts, grouping.parallelism, [&] {
    return [&](std::int64_t part) {
      std::vector<std::uint8_t>& own = marks[static_cast<std::size_t>(part)];
      own.assign(static_cast<std::size_t>(writes_.destinations) + 1, 0);
      visit_pieces({.begin = entries / parts * part,
                    .end = part + 1 == parts ? entries : entries / parts * (part + 1)},
                   [mark = own.data(), last = own.size() - 1](std::int64_t, auto destinations) {
                     for (const auto destination : destinations)
                       mark[std::min<std::size_t>(destination, last)] = 1;
                   });
    };
  });
  std::vector<std::uint8_t>& all = marks.front();
  for (const std::vector<std::uint8_t>& others : std::span(marks).subspan(1))
    std::ranges::transform(all, others, all.begin(), std::bit_or<>());
  all.back() = 0;
  return std::count(all.begin(), all.end(), 1);
}

}  // namespace tscatter
