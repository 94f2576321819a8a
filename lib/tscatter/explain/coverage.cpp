#include "tscatter/explain/coverage.hpp"

#include <algorithm>
#include <mutex>

#include "tscatter/core/parallel.hpp"

namespace tscatter {
namespace {

struct IsBusier {
  const Places* places;

  bool operator()(EntryGroup a, EntryGroup b) const {
    if (a.size() != b.size()) return a.size() > b.size();
    return places->row_major_destination(a.front().destination) <
           places->row_major_destination(b.front().destination);
  }
};

// The busiest destinations so far: a heap with the least busy one in front.
class Busiest {
 public:
  Busiest(const Places& places, std::int64_t most)
      : order_{&places}, most_{static_cast<std::size_t>(most)} {}

  void take(EntryGroup group) {
    if (most_ == 0) return;
    if (groups_.size() == most_) {
      if (!order_(group, groups_.front())) return;
      std::ranges::pop_heap(groups_, order_);
      groups_.pop_back();
    }
    groups_.push_back(group);
    std::ranges::push_heap(groups_, order_);
  }

  void take(const Busiest& other) {
    for (const EntryGroup group : other.groups_) take(group);
  }

  std::vector<EntryGroup> sorted() && {
    std::ranges::sort(groups_, order_);
    return std::move(groups_);
  }

 private:
  IsBusier order_;
  std::size_t most_;
  std::vector<EntryGroup> groups_;
};

struct Count {
  EntryCensus census;
  Busiest busiest;

  void take(EntryGroup group) {
    ++(group.size() == 1 ? census.once : census.several);
    census.most_writers = std::max(census.most_writers, static_cast<std::int64_t>(group.size()));
    if (group.size() > 1) busiest.take(group);
  }

  void take(const Count& other) {
    census.once += other.census.once;
    census.several += other.census.several;
    census.most_writers = std::max(census.most_writers, other.census.most_writers);
    busiest.take(other.busiest);
  }
};

}  // namespace

EntryCensus take_census(const GroupedEntries& entries, const Places& places, std::int64_t most,
                        const Parallelism& parallelism) {
  const Count nothing{.census = {}, .busiest = Busiest(places, most)};
  Count all = nothing;
  std::mutex mutex;
  constexpr std::size_t buckets_per_task = 64;
  const std::size_t tasks = (entries.bucket_count() + buckets_per_task - 1) / buckets_per_task;
  const auto bytes = static_cast<std::int64_t>(entries.size() * sizeof(IndexEntry));
  const CountedBytes counted{parallelism.progress, bytes};
  for_each_task(
      static_cast<std::int64_t>(tasks), parallelism.threads, parallelism.stop, counted, [&] {
        return [&](std::int64_t task) {
          Count count = nothing;
          const std::size_t begin = static_cast<std::size_t>(task) * buckets_per_task;
          const std::size_t end = std::min(begin + buckets_per_task, entries.bucket_count());
          for (std::size_t bucket = begin; bucket < end; ++bucket)
            entries.visit_bucket(bucket, [&](EntryGroup group) { count.take(group); });
          const std::scoped_lock lock(mutex);
          all.take(count);
        };
      });
  all.census.busiest = std::move(all.busiest).sorted();
  return std::move(all.census);
}

Coverage coverage_of(const EntryCensus& census, std::int64_t destination_elements,
                     std::int64_t elements) {
  Coverage coverage{.never = 0,
                    .once = census.once * destination_elements,
                    .several = census.several * destination_elements,
                    .most_writers = elements == 0 ? 0 : census.most_writers};
  coverage.never = elements - coverage.once - coverage.several;
  return coverage;
}

Coverage coverage_of(const LatticeWrites& writes, std::int64_t elements) {
  const std::int64_t written = writes.points() * writes.run;
  return {.never = elements - written,
          .once = written,
          .several = 0,
          .most_writers = written == 0 ? 0 : 1};
}

std::vector<EntryGroup> shared_groups(const GroupedEntries& entries, std::int64_t count) {
  std::vector<EntryGroup> groups;
  groups.reserve(static_cast<std::size_t>(count));
  for (std::size_t bucket = 0; bucket < entries.bucket_count(); ++bucket) {
    entries.visit_bucket(bucket, [&](EntryGroup group) {
      if (group.size() > 1) groups.push_back(group);
    });
  }
  return groups;
}

SharedDestination shared_destination_of(EntryGroup group, const Places& places) {
  const auto writers = static_cast<std::int64_t>(group.size());
  return {.place = places.place_of_destination(group.front().destination),
          .writers = writers,
          .entries = places.entry_list(
              writers, [&](std::int64_t k) { return group[static_cast<std::size_t>(k)].entry; })};
}

}  // namespace tscatter
