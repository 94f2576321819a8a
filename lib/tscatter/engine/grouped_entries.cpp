#include "tscatter/engine/grouped_entries.hpp"

#include <tuple>

namespace tscatter {
namespace {

bool is_before(const IndexEntry& a, const IndexEntry& b) {
  return std::tie(a.destination, a.entry) < std::tie(b.destination, b.entry);
}

BucketGrid grid_of(std::int64_t entries, std::int64_t destinations) {
  constexpr std::int64_t entries_per_bucket = 4096;
  return BucketGrid::of(destinations,
                        destinations / std::max<std::int64_t>(entries / entries_per_bucket, 1));
}

// Moves the last entry of each group to the front; returns how many there are.
std::size_t gather_last(std::span<IndexEntry> sorted) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool is_last =
        i + 1 == sorted.size() || sorted[i + 1].destination != sorted[i].destination;
    if (is_last) sorted[count++] = sorted[i];
  }
  return count;
}

}  // namespace

bool is_sorted_by_destination(std::span<const IndexEntry> entries) {
  return std::ranges::is_sorted(entries, is_before);
}

void sort_by_destination(std::span<IndexEntry> entries) {
  if (!is_sorted_by_destination(entries)) std::ranges::sort(entries, is_before);
}

GroupedEntries::GroupedEntries(const DestinationList& destinations, BucketGrid grid, int threads,
                               const std::atomic<bool>* stop) {
  const auto make = [] {
    return [](std::int64_t first, auto some, const auto& write) {
      for (const auto destination : some)
        write(destination,
              IndexEntry{.destination = static_cast<std::int64_t>(destination), .entry = first++});
    };
  };
  buckets_ = Buckets<IndexEntry>(destinations, grid, threads, stop, make);
}

GroupedEntries GroupedEntries::sorted(const DestinationList& destinations,
                                      std::int64_t destination_count, int threads,
                                      const std::atomic<bool>* stop) {
  if (destinations.size() == 0) return {};
  GroupedEntries grouped(destinations, grid_of(destinations.size(), destination_count), threads,
                         stop);
  grouped.for_each_bucket(threads, stop, [&](std::size_t bucket) {
    sort_by_destination(grouped.buckets_.bucket(bucket));
  });
  return grouped;
}

template <class Work>
void GroupedEntries::for_each_bucket(int threads, const std::atomic<bool>* stop, const Work& work) {
  constexpr std::size_t few = 32768;  // are sorted before another worker would have started
  for_each_task(static_cast<std::int64_t>(bucket_count()), size() < few ? 1 : threads, stop,
                [&] { return [&](std::int64_t task) { work(static_cast<std::size_t>(task)); }; });
}

void GroupedEntries::keep_last(int threads, const std::atomic<bool>* stop) {
  if (size() == 0) return;
  std::vector<std::size_t> kept(bucket_count(), 0);
  for_each_bucket(threads, stop, [&](std::size_t bucket) {
    const std::span<IndexEntry> entries = buckets_.bucket(bucket);
    sort_by_destination(entries);
    kept[bucket] = gather_last(entries);
  });
  buckets_.keep_first(kept);
}

}  // namespace tscatter
