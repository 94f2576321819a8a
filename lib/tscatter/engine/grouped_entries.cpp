#include "tscatter/engine/grouped_entries.hpp"

#include <tuple>

namespace tscatter {
namespace {

bool is_before(const EntryRecord& a, const EntryRecord& b) {
  return std::tie(a.slot, a.entry) < std::tie(b.slot, b.entry);
}

// Entries of one slot, or in ascending order, are in place already.
void sort_records(std::span<EntryRecord> records) {
  if (!std::ranges::is_sorted(records, is_before)) std::ranges::sort(records, is_before);
}

BucketGrid grid_of(std::int64_t entries, std::int64_t slots) {
  constexpr std::int64_t entries_per_bucket = 4096;
  return BucketGrid::of(slots, slots / std::max<std::int64_t>(entries / entries_per_bucket, 1));
}

}  // namespace

GroupedEntries::GroupedEntries(const SlotList& slots, std::int64_t slot_count, int threads,
                               const std::atomic<bool>* stop) {
  if (slots.size() == 0) return;
  const auto make = [] {
    return [](std::int64_t first, auto some, const auto& write) {
      for (const auto slot : some)
        write(slot, EntryRecord{.slot = static_cast<std::int64_t>(slot), .entry = first++});
    };
  };
  buckets_ = Buckets<EntryRecord>(slots, grid_of(slots.size(), slot_count), threads, stop, make);
  for_each_task(static_cast<std::int64_t>(buckets()), threads, stop, [&] {
    return
        [&](std::int64_t task) { sort_records(buckets_.bucket(static_cast<std::size_t>(task))); };
  });
}

std::vector<std::span<const EntryRecord>> meeting_groups(const GroupedEntries& entries,
                                                         std::int64_t count) {
  std::vector<std::span<const EntryRecord>> groups;
  groups.reserve(static_cast<std::size_t>(count));
  for (std::size_t bucket = 0; bucket < entries.buckets(); ++bucket) {
    entries.visit_groups(bucket, [&](std::span<const EntryRecord> group) {
      if (group.size() > 1) groups.push_back(group);
    });
  }
  return groups;
}

}  // namespace tscatter
