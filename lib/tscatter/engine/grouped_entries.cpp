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

constexpr auto make_entries = [] {
  return [](std::int64_t first, auto some, const auto& write) {
    for (const auto destination : some)
      write(destination,
            IndexEntry{.destination = static_cast<std::int64_t>(destination), .entry = first++});
  };
};

// Finds the last entry of each destination in one bucket: sorts the entries if they are few in a
// wide bucket, else sets a bit for each destination.
class LastEntries {
 public:
  // Moves them to the front; returns how many there are.
  std::size_t gather(std::span<IndexEntry> entries, std::int64_t first_destination,
                     std::int64_t width) {
    constexpr std::int64_t bits_per_entry = 64;
    if (entries.size() < 2) return entries.size();
    return width <= std::ssize(entries) * bits_per_entry
               ? gather_marked(entries, first_destination, width)
               : gather_sorted(entries);
  }

 private:
  // In their order.
  std::size_t gather_marked(std::span<IndexEntry> entries, std::int64_t first_destination,
                            std::int64_t width) {
    is_written_.assign(static_cast<std::size_t>(width), false);
    auto front = entries.end();
    for (auto each = entries.end(); each != entries.begin();) {
      const IndexEntry entry = *--each;
      auto is_written =
          is_written_.begin() + static_cast<std::ptrdiff_t>(entry.destination - first_destination);
      if (*is_written) continue;
      *is_written = true;
      *--front = entry;
    }
    return static_cast<std::size_t>(std::copy(front, entries.end(), entries.begin()) -
                                    entries.begin());
  }

  static std::size_t gather_sorted(std::span<IndexEntry> entries) {
    sort_by_destination(entries);
    std::size_t count = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const bool is_last =
          i + 1 == entries.size() || entries[i + 1].destination != entries[i].destination;
      if (is_last) entries[count++] = entries[i];
    }
    return count;
  }

  std::vector<bool> is_written_;
};

}  // namespace

bool is_sorted_by_destination(std::span<const IndexEntry> entries) {
  return std::ranges::is_sorted(entries, is_before);
}

void sort_by_destination(std::span<IndexEntry> entries) {
  if (!is_sorted_by_destination(entries)) std::ranges::sort(entries, is_before);
}

GroupedEntries::GroupedEntries(const DestinationList& destinations, BucketGrid grid,
                               const Parallelism& parallelism)
    : buckets_(destinations, grid, parallelism, make_entries) {}

GroupedEntries::GroupedEntries(const EntryWindow& window, const Parallelism& parallelism)
    : buckets_(window, parallelism, make_entries) {}

GroupedEntries GroupedEntries::sorted(const DestinationList& destinations,
                                      std::int64_t destination_count,
                                      const Parallelism& parallelism) {
  if (destinations.size() == 0) return {};
  GroupedEntries grouped(destinations, grid_of(destinations.size(), destination_count),
                         parallelism);
  grouped.for_each_bucket(parallelism, [&] {
    return [&](std::int64_t task) {
      sort_by_destination(grouped.buckets_.bucket(static_cast<std::size_t>(task)));
    };
  });
  return grouped;
}

template <class MakeWorker>
void GroupedEntries::for_each_bucket(const Parallelism& parallelism,
                                     const MakeWorker& make_worker) {
  constexpr std::size_t few = 65536;  // are ready before another worker would have started
  Parallelism useful = parallelism;
  if (size() < few) useful.threads = 1;
  for_each_task(static_cast<std::int64_t>(bucket_count()), useful, make_worker);
}

void GroupedEntries::keep_last(const Parallelism& parallelism) {
  if (size() == 0) return;
  std::vector<std::size_t> kept(bucket_count(), 0);
  const BucketGrid& grid = buckets_.grid();
  for_each_bucket(parallelism, [&] {
    return [&, last = LastEntries()](std::int64_t task) mutable {
      const auto bucket = static_cast<std::size_t>(task);
      kept[bucket] =
          last.gather(buckets_.bucket(bucket), grid.first_destination(bucket), grid.width());
    };
  });
  buckets_.keep_first(kept);
}

}  // namespace tscatter
