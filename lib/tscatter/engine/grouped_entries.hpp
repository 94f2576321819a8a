// GroupedEntries: the index entries of a plan, grouped by where they go. 16 bytes an entry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/core/progress.hpp"
#include "tscatter/engine/buckets.hpp"
#include "tscatter/plan/destination_list.hpp"

namespace tscatter {

struct IndexEntry {
  std::int64_t destination;
  std::int64_t entry;  // its number, from 0
};

// All entries of one destination, in their order.
using EntryGroup = std::span<const IndexEntry>;

// The group at the front of sorted entries.
inline EntryGroup first_group(std::span<const IndexEntry> sorted) {
  const std::int64_t destination = sorted.front().destination;
  const auto end = std::ranges::find_if(
      sorted, [destination](const IndexEntry& each) { return each.destination != destination; });
  return {sorted.begin(), end};
}

// Calls visit(EntryGroup) for each destination. REQUIRES: the entries are sorted.
template <class Visit>
void visit_groups(std::span<const IndexEntry> sorted, const Visit& visit) {
  while (!sorted.empty()) {
    const EntryGroup group = first_group(sorted);
    visit(group);
    sorted = sorted.subspan(group.size());
  }
}

// By destination, and by number within a destination.
bool is_sorted_by_destination(std::span<const IndexEntry> entries);
void sort_by_destination(std::span<IndexEntry> entries);

class GroupedEntries {
 public:
  GroupedEntries() = default;
  // Entries of one bucket stand together, in the order of the index tensor. Throws Cancelled.
  GroupedEntries(const DestinationList& destinations, BucketGrid grid,
                 const Parallelism& parallelism);

  // The same for the entries of a window.
  GroupedEntries(const EntryWindow& window, const Parallelism& parallelism);

  // Entries of one destination stand together. REQUIRES: destinations are below
  // `destination_count`. Throws Cancelled.
  static GroupedEntries sorted(const DestinationList& destinations, std::int64_t destination_count,
                               const Parallelism& parallelism);

  const Buckets<IndexEntry>& buckets() const { return buckets_; }
  std::size_t size() const { return buckets_.size(); }
  std::size_t bucket_count() const { return size() == 0 ? 0 : buckets_.grid().count(); }

  // Forgets all but the last entry of each destination.
  void keep_last(const Parallelism& parallelism);

  // What follows REQUIRES entries of sorted(). All entries, by ascending destination:
  std::span<const IndexEntry> all() const { return buckets_.records(); }
  // The group that begins at all()[first].
  EntryGroup group_at(std::size_t first) const { return first_group(all().subspan(first)); }
  template <class Visit>
  void visit_bucket(std::size_t bucket, const Visit& visit) const {
    visit_groups(buckets_.bucket(bucket), visit);
  }

 private:
  // make_worker() is called once in each worker, and what it returns for the buckets' numbers.
  template <class MakeWorker>
  void for_each_bucket(const Parallelism& parallelism, const MakeWorker& make_worker);

  Buckets<IndexEntry> buckets_;
};

}  // namespace tscatter
