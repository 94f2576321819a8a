#include "tscatter/engine/entry_counts.hpp"

#include <algorithm>
#include <numeric>

#include "tscatter/core/parallel.hpp"

namespace tscatter {

EntryCounts::EntryCounts(const EntryReader& reader, BucketGrid grid, Range destinations,
                         const Parallelism& parallelism)
    : reader_{reader}, grid_{grid}, destinations_{destinations} {
  constexpr std::int64_t entries_per_worker = std::int64_t{64} * 1024;
  constexpr std::int64_t most_counts = std::int64_t{1} << 19U;  // of all parts: 4 MiB
  const std::int64_t most_parts = std::clamp<std::int64_t>(
      most_counts / static_cast<std::int64_t>(grid.count()), 1, parallelism.threads);
  const std::int64_t parts =
      std::clamp<std::int64_t>(reader.size() / entries_per_worker, 1, most_parts);
  counts_.resize(static_cast<std::size_t>(parts));
  std::atomic<std::int64_t> kept{0};
  for_each_task(parts, parallelism, reader.size(), [&] {
    return [&](std::int64_t part) {
      std::vector<std::size_t> counts(grid_.count(), 0);
      visit(part, destinations_, parallelism.stop, [&](std::int64_t, auto some) {
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

namespace {

std::int64_t batch_size(const ListedWrites& writes) {
  return std::max<std::int64_t>(writes.destinations * writes.blocks.count(), 1);
}

// The batches that the range meets; of an empty output the first, so that its entries are counted.
Range batches_of(const ListedWrites& writes, Range output) {
  if (output.length() <= 0) return {.begin = 0, .end = 1};
  const std::int64_t size = batch_size(writes);
  return {.begin = output.begin / size, .end = (output.end - 1) / size + 1};
}

}  // namespace

Range destinations_of(const ListedWrites& writes, Range output) {
  const Range batches = batches_of(writes, output);
  if (batches.length() != 1 || output.length() <= 0)
    return {.begin = 0, .end = writes.destinations};
  const std::int64_t origin = batches.begin * batch_size(writes);
  const std::int64_t block = std::max<std::int64_t>(writes.blocks.count(), 1);
  return {.begin = (output.begin - origin) / block,
          .end = (output.end - origin + block - 1) / block};
}

std::vector<Window> windows_of(const EntryCounts& counts, const ListedWrites& writes,
                               const WindowOptions& options) {
  const Range batches = batches_of(writes, options.output);
  const std::int64_t block = writes.blocks.count();
  const std::int64_t size = batch_size(writes);
  const std::vector<EntryCounts::Run> runs = counts.runs(options.most_entries);
  std::vector<Window> windows;
  const auto add = [&](const EntryCounts::Run& run, Range of) {
    const Range destinations = counts.destinations(run.buckets);
    const std::int64_t origin = of.begin * size;
    windows.push_back({.entries = {.counts = &counts,
                                   .buckets = run.buckets,
                                   .destinations = destinations,
                                   .is_streamed = run.entries > options.most_entries},
                       .output = {.range = {.begin = origin + destinations.begin * block,
                                            .end = origin + destinations.end * block},
                                  .repeats = of.length(),
                                  .stride = size,
                                  .within = options.output},
                       .is_first = of.begin == batches.begin});
  };
  // Several windows of a batch are complete before the next batch begins only where they must be:
  // entries are read for each window.
  if (runs.size() == 1) {
    add(runs.front(), batches);
    windows.back().output = {.range = options.output};
  } else if (options.is_sequential) {
    for (std::int64_t batch = batches.begin; batch < batches.end; ++batch) {
      for (const EntryCounts::Run& run : runs) add(run, {.begin = batch, .end = batch + 1});
    }
  } else {
    for (const EntryCounts::Run& run : runs) add(run, batches);
  }
  return windows;
}

}  // namespace tscatter
