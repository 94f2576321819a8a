#include "tscatter/engine/entry_counts.hpp"

#include <algorithm>
#include <numeric>

#include "tscatter/core/parallel.hpp"

namespace tscatter {

EntryCounts::EntryCounts(const EntryReader& reader, BucketGrid grid, Range destinations,
                         const CountingOptions& options)
    : reader_{reader}, grid_{grid}, destinations_{destinations} {
  constexpr std::int64_t entries_per_worker = std::int64_t{64} * 1024;
  constexpr std::int64_t most_counts = std::int64_t{1} << 19U;  // of all parts: 4 MiB
  const std::int64_t most_parts = std::clamp<std::int64_t>(
      most_counts / static_cast<std::int64_t>(grid.count()), 1, options.threads);
  const std::int64_t parts =
      std::clamp<std::int64_t>(reader.size() / entries_per_worker, 1, most_parts);
  counts_.resize(static_cast<std::size_t>(parts));
  std::atomic<std::int64_t> kept{0};
  const CountedBytes counted{options.progress, reader.size()};
  for_each_task(parts, options.threads, options.stop, counted, [&] {
    return [&](std::int64_t part) {
      std::vector<std::size_t> counts(grid_.count(), 0);
      visit(part, destinations_, options.stop, [&](std::int64_t, auto some) {
        for (const std::uint64_t destination : some) {
          if (!is_dropped(destination))
            ++counts[grid_.bucket_of(static_cast<std::int64_t>(destination))];
        }
      });
      kept +=
          static_cast<std::int64_t>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
      counts_[static_cast<std::size_t>(part)] = std::move(counts);
    };
  });
  kept_ = kept;
}

std::vector<std::vector<std::size_t>> EntryCounts::of(Range buckets) const {
  std::vector<std::vector<std::size_t>> some;
  for (const std::vector<std::size_t>& counts : counts_) {
    some.emplace_back(counts.size(), 0);
    std::copy(counts.begin() + buckets.begin, counts.begin() + buckets.end,
              some.back().begin() + buckets.begin);
  }
  return some;
}

Range EntryCounts::destinations(Range buckets) const {
  const Range whole{.begin = grid_.first_destination(static_cast<std::size_t>(buckets.begin)),
                    .end = grid_.first_destination(static_cast<std::size_t>(buckets.end))};
  return intersection(whole, destinations_);
}

std::int64_t EntryCounts::kept(Range buckets) const {
  std::int64_t entries = 0;
  for (const std::vector<std::size_t>& counts : counts_)
    entries += static_cast<std::int64_t>(std::accumulate(
        counts.begin() + buckets.begin, counts.begin() + buckets.end, std::size_t{0}));
  return entries;
}

std::vector<EntryCounts::Run> EntryCounts::runs(std::int64_t most_entries) const {
  const auto count = static_cast<std::int64_t>(grid_.count());
  const Range all{.begin = static_cast<std::int64_t>(
                      grid_.bucket_of(std::min(destinations_.begin, grid_.destinations - 1))),
                  .end = count};
  std::vector<Run> runs;
  for (std::int64_t bucket = all.begin; bucket < all.end; ++bucket) {
    if (grid_.first_destination(static_cast<std::size_t>(bucket)) >= destinations_.end &&
        !runs.empty())
      break;
    const std::int64_t entries = kept({.begin = bucket, .end = bucket + 1});
    const bool continues = !runs.empty() && runs.back().entries + entries <= most_entries;
    if (!continues) runs.push_back({.buckets = {.begin = bucket, .end = bucket}});
    runs.back().buckets.end = bucket + 1;
    runs.back().entries += entries;
  }
  return runs;
}

}  // namespace tscatter
