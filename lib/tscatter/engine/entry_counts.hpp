// EntryCounts: how many of the entries that are not listed go to each bucket; and the windows, runs
// of buckets, whose entries fit into the memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/plan/destinations.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

class EntryCounts {
 public:
  // Counts the entries whose destination is in the range. Throws Cancelled, and what the reader
  // throws. REQUIRES: the reader outlives the counts.
  EntryCounts(const EntryReader& reader, BucketGrid grid, Range destinations,
              const Parallelism& parallelism);

  const EntryReader& reader() const { return reader_; }
  const BucketGrid& grid() const { return grid_; }
  std::int64_t kept() const { return kept_; }  // in the range
  std::int64_t kept(Range buckets) const;

  // The entries are cut into parts, for as many workers.
  std::int64_t parts() const { return static_cast<std::int64_t>(counts_.size()); }
  // For each part and bucket: how many entries, 0 outside `buckets`.
  std::vector<std::vector<std::size_t>> of(Range buckets) const;

  // The buckets' destinations, within the range.
  Range destinations(Range buckets) const;

  // Calls visit(first entry, destinations) for pieces of the part, in order, that have an entry
  // with a destination in the range; the others in it are dropped_entry.
  template <class Visit>
  void visit(std::int64_t part, Range destinations, StopFlag stop, const Visit& visit) const;

  // Cuts all buckets into runs, one after another. A run is as long as it can be with at most
  // `most_entries` entries; a bucket with more is a run by itself.
  struct Run {
    Range buckets;
    std::int64_t entries = 0;
  };
  std::vector<Run> runs(std::int64_t most_entries) const;

 private:
  static constexpr std::int64_t piece = std::int64_t{16} * 1024;  // entries that are read at once

  Range part_of(std::int64_t part) const {
    const std::int64_t entries = reader_.size();
    return {.begin = entries / parts() * part + std::min(part, entries % parts()),
            .end = entries / parts() * (part + 1) + std::min(part + 1, entries % parts())};
  }

  const EntryReader& reader_;
  BucketGrid grid_;
  Range destinations_;
  std::int64_t kept_ = 0;
  std::vector<std::vector<std::size_t>> counts_;  // of each part, for each bucket
};

// A run of buckets that is processed at once.
struct EntryWindow {
  const EntryCounts* counts = nullptr;
  Range buckets = {};
  Range destinations = {};
  bool is_streamed = false;  // it has more entries than memory allows
};

template <class Visit>
void EntryCounts::visit(std::int64_t part, Range destinations, StopFlag stop,
                        const Visit& visit) const {
  const Range entries = part_of(part);
  const auto begin = static_cast<std::uint64_t>(destinations.begin);
  const auto length = static_cast<std::uint64_t>(destinations.length());
  std::vector<std::uint64_t> all(static_cast<std::size_t>(std::min(piece, entries.length())));
  for (std::int64_t first = entries.begin; first < entries.end; first += piece) {
    check_stop(stop);
    const auto some =
        std::span(all).first(static_cast<std::size_t>(std::min(piece, entries.end - first)));
    reader_.read(first, some);
    bool has_any = false;
    for (std::uint64_t& destination : some) {
      const bool is_within = destination - begin < length;
      destination = is_within ? destination : dropped_entry<std::uint64_t>;
      has_any |= is_within;
    }
    if (has_any) visit(first, std::span<const std::uint64_t>(some));
  }
}

// A run whose index entries do not fit into the memory is cut by where they go. Each window is a
// part of the output with all entries that go there, so that it is computed as if there were no
// other.
struct Window {
  EntryWindow entries;
  OutputPart output;
  bool is_first = true;  // of the windows with these entries: each batch has the same
};

struct WindowOptions {
  std::int64_t most_entries = 1;  // in one window
  Range output = {};              // the elements that are wanted
  bool is_sequential = false;     // the output is written from front to back
};

// The destinations of the entries that may write elements of the range.
Range destinations_of(const ListedWrites& writes, Range output);

// Returns windows that cover everything wanted. REQUIRES: `counts` counted the entries of
// destinations_of(writes, output).
std::vector<Window> windows_of(const EntryCounts& counts, const ListedWrites& writes,
                               const WindowOptions& options);

}  // namespace tscatter
