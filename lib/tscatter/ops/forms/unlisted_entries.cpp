#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "tscatter/core/memory.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"

namespace tscatter {
namespace {

std::int64_t count_dropped(const EntryReader& reader, const Parallelism& parallelism) {
  constexpr std::int64_t at_once = std::int64_t{16} * 1024;
  const std::int64_t entries = reader.size();
  std::atomic<std::int64_t> dropped{0};
  for_each_task((entries + at_once - 1) / at_once, parallelism, entries, [&] {
    return [&](std::int64_t task) {
      const std::int64_t first = task * at_once;
      dropped += reader.check(first, std::min(at_once, entries - first));
    };
  });
  return dropped;
}

}  // namespace

bool may_be_left(const ListedWrites& writes, const EntryReader& reader, const Lowering& lowering) {
  const bool are_elements = writes.blocks.count() == 1 && writes.batches.count() == 1 &&
                            writes.entries_in_row == 1 && writes.has_linear_entries();
  return !lowering.needs_list && lowering.may_list(reader.size()) && are_elements &&
         reader.reads_memory() && writes.destinations < std::numeric_limits<std::uint32_t>::max();
}

void read_again(ListedWrites& writes, std::shared_ptr<const EntryReader> reader,
                const Lowering& lowering) {
  // More than can be numbered would never be read.
  memory_size(reader->size(), sizeof(std::uint64_t));
  writes.is_left_to_reader = may_be_left(writes, *reader, lowering);
  if (lowering.check == EntryCheck::by_reader) {
    writes.reader = std::move(reader);
    return;
  }
  writes.reader_dropped = count_dropped(*reader, lowering.parallelism);
  writes.reader = std::move(reader);
}

}  // namespace tscatter
