// GroupedEntries: the index entries of a plan, grouped by where they go. 16 bytes an entry.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "tscatter/core/parallel.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/engine/buckets.hpp"
#include "tscatter/engine/grouping.hpp"
#include "tscatter/plan/destinations.hpp"

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

// ---- How many destinations grouped entries have.

// Counts different destinations, without dropped ones. Uses a hash table; sorts instead if too many
// collide in it.
template <std::unsigned_integral Destination>
class DestinationTable {
 public:
  std::int64_t count(std::span<const Destination> destinations) {
    constexpr std::size_t steps_each = 8;  // on average; random ones take less than one
    const int bits = static_cast<int>(std::bit_width(destinations.size())) + 1;
    table_.assign(std::size_t{1} << bits, none);
    std::size_t steps = steps_each * destinations.size();
    std::int64_t distinct = 0;
    for (const Destination destination : destinations) {
      if (destination == none) continue;
      std::size_t place = place_of(destination, bits);
      while (table_[place] != none && table_[place] != destination) {
        if (steps-- == 0) return count_sorted(destinations);
        place = (place + 1) % table_.size();
      }
      distinct += table_[place] == none ? 1 : 0;
      table_[place] = destination;
    }
    return distinct;
  }

 private:
  static constexpr Destination none = dropped_entry<Destination>;

  // Neighbours, and the steps of a stride, are spread evenly (Knuth 6.4, multiplicative hashing).
  static std::size_t place_of(Destination destination, int bits) {
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
    return static_cast<std::size_t>((destination * golden) >> (64 - bits));
  }

  std::int64_t count_sorted(std::span<const Destination> destinations) {
    table_.clear();
    std::ranges::copy_if(destinations, std::back_inserter(table_),
                         [](Destination destination) { return destination != none; });
    std::ranges::sort(table_);
    return std::unique(table_.begin(), table_.end()) - table_.begin();
  }

  std::vector<Destination> table_;
};

// Counts the distinct destinations of one bucket: looks them up if they are few in a wide bucket,
// else sets a bit for each.
class DistinctCounter {
 public:
  template <class Records>
  std::int64_t count(const Records& records, std::int64_t first_destination, std::int64_t width) {
    constexpr std::int64_t bits_per_record = 64;
    const auto entries = static_cast<std::int64_t>(records.size());
    if (entries < 2) return entries;
    return width <= entries * bits_per_record ? count_bits(records, first_destination, width)
                                              : count_few(records);
  }

 private:
  template <class Records>
  std::int64_t count_bits(const Records& records, std::int64_t first_destination,
                          std::int64_t width) {
    bits_.assign(static_cast<std::size_t>(width + 63) / 64, 0);
    std::int64_t distinct = 0;
    for (const auto& record : records) {
      const auto local = static_cast<std::uint64_t>(static_cast<std::int64_t>(record.destination) -
                                                    first_destination);
      std::uint64_t& word = bits_[local / 64];
      const std::uint64_t before = word;
      word |= std::uint64_t{1} << (local % 64);
      distinct += word == before ? 0 : 1;
    }
    return distinct;
  }

  template <class Records>
  std::int64_t count_few(const Records& records) {
    destinations_.clear();
    for (const auto& record : records)
      destinations_.push_back(static_cast<std::uint64_t>(record.destination));
    return table_.count(destinations_);
  }

  std::vector<std::uint64_t> bits_;
  std::vector<std::uint64_t> destinations_;
  DestinationTable<std::uint64_t> table_;
};

// `destinations_are_local`: they count from their bucket (element records), not from the batch
// (blocks).
template <class Record>
std::int64_t count_distinct_in(const Buckets<Record>& buckets, const Grouping& grouping,
                               bool destinations_are_local) {
  constexpr std::int64_t buckets_per_task = 64;
  if (buckets.size() == 0) return 0;
  std::atomic<std::int64_t> distinct{0};
  const auto count = static_cast<std::int64_t>(buckets.grid().count());
  for_each_task((count + buckets_per_task - 1) / buckets_per_task, grouping.parallelism, [&] {
    return [&, counter = DistinctCounter()](std::int64_t task) mutable {
      std::int64_t sum = 0;
      const std::int64_t end = std::min((task + 1) * buckets_per_task, count);
      for (std::int64_t i = task * buckets_per_task; i < end; ++i) {
        const auto bucket = static_cast<std::size_t>(i);
        const std::int64_t first =
            destinations_are_local ? 0 : buckets.grid().first_destination(bucket);
        sum += counter.count(buckets.bucket(bucket), first, buckets.grid().width());
      }
      distinct += sum;
    };
  });
  return distinct;
}

}  // namespace tscatter
