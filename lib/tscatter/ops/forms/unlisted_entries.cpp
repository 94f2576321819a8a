#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "tscatter/core/memory.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"

namespace tscatter {

void read_again(ListedWrites& writes, std::shared_ptr<const EntryReader> reader,
                const Parallelism& parallelism) {
  constexpr std::int64_t at_once = std::int64_t{16} * 1024;
  const std::int64_t entries = reader->size();
  memory_size(entries, sizeof(std::uint64_t));  // more than can be numbered would never be read
  if (parallelism.check == EntryCheck::by_reader) {
    writes.reader = std::move(reader);
    return;
  }
  std::atomic<std::int64_t> dropped{0};
  const CountedBytes counted{parallelism.progress, entries};
  for_each_task(
      (entries + at_once - 1) / at_once, parallelism.threads, parallelism.stop, counted, [&] {
        return [&, all = std::vector<std::uint64_t>(at_once)](std::int64_t task) mutable {
          const std::int64_t first = task * at_once;
          const auto some =
              std::span(all).first(static_cast<std::size_t>(std::min(at_once, entries - first)));
          reader->read(first, some);
          dropped += std::ranges::count(some, dropped_entry<std::uint64_t>);
        };
      });
  writes.reader_dropped = dropped;
  writes.reader = std::move(reader);
}

}  // namespace tscatter
