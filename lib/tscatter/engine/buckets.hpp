// Index entries grouped by where they go: a stable partition into buckets of neighbouring
// destinations. Within a bucket the entries keep their order, and so duplicates do, too. Dropped
// entries are in none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/core/memory.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/engine/entry_counts.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/plan/destinations.hpp"

namespace tscatter {

template <class Record>
class Buckets {
 public:
  Buckets() = default;

  // MakeRecords: make() returns a function(first, destinations, write) that calls
  // write(destinations[i], record) for each entry first + i, in order; `write` puts the record into
  // its bucket.
  template <class MakeRecords>
  Buckets(const DestinationList& destinations, BucketGrid grid, const Parallelism& parallelism,
          const MakeRecords& make)
      : grid_{grid},
        begin_(grid.count() + 1, 0),
        records_(static_cast<std::size_t>(destinations.kept())) {
    destinations.visit([&](auto list) { partition(list, parallelism, make); });
  }

  // The same for the entries of a window, which are not listed.
  template <class MakeRecords>
  Buckets(const EntryWindow& window, const Parallelism& parallelism, const MakeRecords& make)
      : grid_{window.counts->grid()}, begin_(grid_.count() + 1, 0) {
    const EntryCounts& counts = *window.counts;
    std::vector<std::vector<std::size_t>> next = counts.of(window.buckets);
    std::vector<std::vector<std::size_t>> ends = next;
    assign_places(next);
    for (std::size_t part = 0; part < next.size(); ++part)
      std::ranges::transform(ends[part], next[part], ends[part].begin(), std::plus<>());
    records_ = Buffer<Record>(begin_.back());
    for_each_task(counts.parts(), parallelism, [&] {
      return [&](std::int64_t part) {
        auto make_part = make();
        const CheckedPlaces places(next[static_cast<std::size_t>(part)],
                                   ends[static_cast<std::size_t>(part)]);
        counts.visit(part, window.destinations, parallelism.stop,
                     [&](std::int64_t first, auto some) { put(first, some, places, make_part); });
        places.require_full();
      };
    });
  }

  const BucketGrid& grid() const { return grid_; }
  std::size_t size() const { return begin_.empty() ? 0 : begin_.back(); }

  // The records of all buckets, one bucket after another.
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

  // Where the next record of each bucket goes. Copied into the loops: what is reached by reference
  // would be loaded again after each record that is stored.
  struct Places {
    std::size_t* next;
    std::size_t take(std::size_t bucket) const { return next[bucket]++; }
  };

  // The same for entries that were counted at an earlier reading: what is read now may differ.
  class CheckedPlaces {
   public:
    CheckedPlaces(std::span<std::size_t> next, std::span<const std::size_t> ends)
        : next_{next}, ends_{ends} {}

    std::size_t take(std::size_t bucket) const {
      if (next_[bucket] == ends_[bucket]) refuse_changed_entries();
      return next_[bucket]++;
    }
    void require_full() const {
      if (!std::ranges::equal(next_, ends_)) refuse_changed_entries();
    }

   private:
    std::span<std::size_t> next_;
    std::span<const std::size_t> ends_;
  };

  template <class Destination, class MakeRecords>
  void partition(std::span<const Destination> destinations, const Parallelism& parallelism,
                 const MakeRecords& make) {
    const auto entries = static_cast<std::int64_t>(destinations.size());
    const std::int64_t parts = std::clamp<std::int64_t>(entries / entries_per_worker, 1,
                                                        worker_count(parallelism.threads));
    const auto part_of = [&](std::int64_t part) {
      return Range{.begin = entries * part / parts, .end = entries * (part + 1) / parts};
    };
    // next[part][bucket]: first how many, then where the part's next record of the bucket goes.
    std::vector<std::vector<std::size_t>> next(static_cast<std::size_t>(parts));
    for_each_task(parts, parallelism, [&] {
      return [&](std::int64_t part) {
        next[static_cast<std::size_t>(part)] = count(destinations, part_of(part));
      };
    });
    assign_places(next);
    for_each_task(parts, parallelism, [&] {
      return [&](std::int64_t part) {
        place(destinations, part_of(part), next[static_cast<std::size_t>(part)], parallelism.stop,
              make);
      };
    });
  }

  template <class Destination>
  std::vector<std::size_t> count(std::span<const Destination> destinations, Range part) const {
    const BucketGrid grid = grid_;  // a copy, as for Places
    std::vector<std::size_t> counts(grid.count(), 0);
    std::size_t* const count = counts.data();
    for (std::int64_t i = part.begin; i < part.end; ++i) {
      const Destination destination = destinations[static_cast<std::size_t>(i)];
      if (!is_dropped(destination)) ++count[grid.bucket_of(static_cast<std::int64_t>(destination))];
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
             StopFlag stop, const MakeRecords& make) {
    auto make_part = make();
    const Places places{next.data()};
    for (std::int64_t first = part.begin; first < part.end; first += piece) {
      check_stop(stop);
      const std::int64_t count = std::min(piece, part.end - first);
      const auto some =
          destinations.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
      put(first, some, places, make_part);
    }
  }

  template <class Destination, class PlacesOf, class MakePart>
  void put(std::int64_t first, std::span<const Destination> destinations, PlacesOf places,
           MakePart& make_part) {
    const auto write = [records = records_.data(), grid = grid_, places](Destination destination,
                                                                         const Record& record) {
      if (is_dropped(destination)) return;
      const std::size_t bucket = grid.bucket_of(static_cast<std::int64_t>(destination));
      Record* const place = records + places.take(bucket);
      *place = record;
      __builtin_prefetch(place + ahead, 1);
    };
    make_part(first, destinations, write);
  }

  BucketGrid grid_;
  std::vector<std::size_t> begin_;
  Buffer<Record> records_;
};

}  // namespace tscatter
