// Index entries grouped by where they go: a stable partition into buckets of neighbouring
// destinations. Within a bucket the entries keep their order, and so duplicates do, too. Dropped
// entries are in none.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tscatter/core/buffer.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/plan/destination_list.hpp"

namespace tscatter {

// Buckets are powers of two wide, so that a shift finds a destination's bucket. The first one is
// shorter by `phase` destinations.
struct BucketGrid {
  std::int64_t destinations = 1;
  std::int64_t phase = 0;
  int shift = 0;

  // Buckets of at most `width` destinations, or wider, to have at most 2^18 buckets.
  static BucketGrid of(std::int64_t destinations, std::int64_t width, std::int64_t phase = 0) {
    constexpr std::int64_t most = std::int64_t{1} << 18;
    BucketGrid grid{
        .destinations = std::max<std::int64_t>(destinations, 1), .phase = phase, .shift = 0};
    const auto widest = static_cast<std::uint64_t>(std::max<std::int64_t>(width, 1));
    grid.shift = static_cast<int>(std::bit_width(widest)) - 1;
    while ((grid.destinations - 1 + phase) >> grid.shift >= most) ++grid.shift;
    return grid;
  }

  std::int64_t width() const { return std::int64_t{1} << shift; }
  std::size_t count() const { return bucket_of(destinations - 1) + 1; }
  std::size_t bucket_of(std::int64_t destination) const {
    return static_cast<std::size_t>((destination + phase) >> shift);
  }
  // The destination's place in its bucket: in [0, width).
  std::uint32_t place_of(std::int64_t destination) const {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(destination + phase) &
                                      static_cast<std::uint64_t>(width() - 1));
  }
  std::int64_t first_destination(std::size_t bucket) const {
    return (static_cast<std::int64_t>(bucket) << shift) - phase;
  }
};

template <class Record>
class Buckets {
 public:
  Buckets() = default;

  // MakeRecords: make() returns a function(first, destinations, write) that calls
  // write(destinations[i], record) for each entry first + i, in order; `write` puts the record into
  // its bucket.
  template <class MakeRecords>
  Buckets(const DestinationList& destinations, BucketGrid grid, int threads,
          const std::atomic<bool>* stop, const MakeRecords& make)
      : grid_{grid},
        begin_(grid.count() + 1, 0),
        records_(static_cast<std::size_t>(destinations.kept())) {
    destinations.visit([&](auto list) { partition(list, threads, stop, make); });
  }

  const BucketGrid& grid() const { return grid_; }
  std::size_t size() const { return begin_.empty() ? 0 : begin_.back(); }

  // Of all buckets, one after another.
  std::span<const Record> records() const { return records_.span(); }

  std::span<const Record> bucket(std::size_t index) const {
    return records_.span().subspan(begin_[index], begin_[index + 1] - begin_[index]);
  }
  std::span<Record> bucket(std::size_t index) {
    return records_.span().subspan(begin_[index], begin_[index + 1] - begin_[index]);
  }

  // The records of all buckets that overlap the range. REQUIRES: the range is not empty.
  std::span<const Record> meeting(Range destinations) const {
    const std::size_t begin = begin_[grid_.bucket_of(destinations.begin)];
    const std::size_t end = begin_[grid_.bucket_of(destinations.end - 1) + 1];
    return records_.span().subspan(begin, end - begin);
  }

  // Keeps the first kept[i] records of bucket i, and closes the gaps.
  void keep_first(const std::vector<std::size_t>& kept) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const std::span<const Record> records = bucket(i).first(kept[i]);
      begin_[i] = end;
      std::ranges::copy(records, records_.data() + end);
      end += kept[i];
    }
    begin_.back() = end;
    records_.shrink(end);
  }

 private:
  static constexpr std::int64_t piece = std::int64_t{16} * 1024;  // entries that are read at once
  // For fewer entries another worker is not worth its start.
  static constexpr std::int64_t entries_per_worker = std::int64_t{64} * 1024;

  // How far ahead to prefetch, in records: one cache line.
  static constexpr std::ptrdiff_t ahead = 64 / sizeof(Record);

  template <class Destination, class MakeRecords>
  void partition(std::span<const Destination> destinations, int threads,
                 const std::atomic<bool>* stop, const MakeRecords& make) {
    const auto entries = static_cast<std::int64_t>(destinations.size());
    const std::int64_t parts = std::clamp<std::int64_t>(entries / entries_per_worker, 1, threads);
    const auto part_of = [&](std::int64_t part) {
      return Range{.begin = entries * part / parts, .end = entries * (part + 1) / parts};
    };
    // next[part][bucket]: first how many, then where the part's next record of the bucket goes.
    std::vector<std::vector<std::size_t>> next(static_cast<std::size_t>(parts));
    for_each_task(parts, threads, stop, [&] {
      return [&](std::int64_t part) {
        next[static_cast<std::size_t>(part)] = count(destinations, part_of(part));
      };
    });
    assign_places(next);
    for_each_task(parts, threads, stop, [&] {
      return [&](std::int64_t part) {
        place(destinations, part_of(part), next[static_cast<std::size_t>(part)], stop, make);
      };
    });
  }

  template <class Destination>
  std::vector<std::size_t> count(std::span<const Destination> destinations, Range part) const {
    std::vector<std::size_t> counts(grid_.count(), 0);
    for (std::int64_t i = part.begin; i < part.end; ++i) {
      const Destination destination = destinations[static_cast<std::size_t>(i)];
      if (!is_dropped(destination)) ++counts[bucket_of(destination)];
    }
    return counts;
  }

  void assign_places(std::vector<std::vector<std::size_t>>& next) {
    std::size_t place = 0;
    for (std::size_t bucket = 0; bucket < grid_.count(); ++bucket) {
      begin_[bucket] = place;
      for (std::vector<std::size_t>& part : next) place += std::exchange(part[bucket], place);
    }
    begin_.back() = place;
  }

  template <class Destination, class MakeRecords>
  void place(std::span<const Destination> destinations, Range part, std::vector<std::size_t>& next,
             const std::atomic<bool>* stop, const MakeRecords& make) {
    auto make_part = make();
    Record* const records = records_.data();
    for (std::int64_t first = part.begin; first < part.end; first += piece) {
      if (stop != nullptr && *stop) throw Cancelled();
      const std::int64_t count = std::min(piece, part.end - first);
      const auto some =
          destinations.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
      make_part(first, some, [&](Destination destination, const Record& record) {
        if (is_dropped(destination)) return;
        Record* const place = records + next[bucket_of(destination)]++;
        *place = record;
        __builtin_prefetch(place + ahead, 1);
      });
    }
  }

  template <class Destination>
  std::size_t bucket_of(Destination destination) const {
    return grid_.bucket_of(static_cast<std::int64_t>(destination));
  }

  BucketGrid grid_;
  std::vector<std::size_t> begin_;
  Buffer<Record> records_;
};

}  // namespace tscatter
