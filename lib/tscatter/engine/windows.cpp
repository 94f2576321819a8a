#include "tscatter/engine/windows.hpp"

#include <algorithm>

namespace tscatter {
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
