// StraightWriters: writes that are not grouped, but applied in the order of their entries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/engine/grouping.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// A tile is a large part of the output, often all of it: for each, all entries are read once. They
// come from the list, or from a reader that reads memory.
class StraightWriters {
 public:
  // REQUIRES: grouping.straight_tile.
  StraightWriters(ListedWrites writes, const Grouping& grouping);

  WriteSizes sizes() const;
  std::int64_t count_distinct(const Grouping& grouping) const;
  bool meets(Range) const { return sizes().extents > 0; }

  const ListedWrites& writes() const { return writes_; }
  std::int64_t entries() const {
    return writes_.reader != nullptr ? writes_.reader->size() : writes_.destination_of_entry.size();
  }
  std::int64_t batch_size() const { return writes_.destinations * writes_.blocks.count(); }

  // Whether no entry is dropped, and updates holds the blocks one after another, in the order of
  // the entries.
  bool is_packed() const;

  // Calls visit(first entry, span of destinations) for all entries, or some, in order; a dropped
  // one has dropped_entry.
  template <class Visit>
  void visit_pieces(const Visit& visit) const;
  template <class Visit>
  void visit_pieces(Range entries, const Visit& visit) const;

  // The same from the last piece to the first, while visit() returns true.
  template <class Visit>
  void visit_pieces_backward(const Visit& visit) const;

  // Calls visit(first entry, number of entries) for the same pieces.
  template <class Visit>
  void visit_parts(Range entries, const Visit& visit) const;

  // Calls visit(first element of the batch's output, of its updates) for the batches that the
  // range meets.
  template <class Visit>
  void visit_batches(Range range, const Visit& visit) const;

  // Calls visit(StridedRun) for each write into the range, in the order of the entries.
  template <class Visit>
  void visit(Range range, const Visit& visit) const;

 private:
  // Entries that are read at once; of long blocks fewer, since a run is stopped between two pieces.
  static constexpr std::int64_t most = std::int64_t{16} * 1024;
  static constexpr std::int64_t fewest = 16;
  static constexpr std::int64_t elements_at_once = std::int64_t{1} << 20U;

  // Returns visit(first, destinations of the entries). `read`: room for them.
  template <class Visit>
  auto visit_piece(std::int64_t first, std::int64_t length, std::vector<std::uint32_t>& read,
                   const Visit& visit) const;

  ListedWrites writes_;
  StopFlag stop_;
  std::int64_t tile_elements_;
  std::int64_t piece_;
};

template <class Visit>
void StraightWriters::visit_parts(Range entries, const Visit& visit) const {
  for (std::int64_t first = entries.begin; first < entries.end; first += piece_) {
    check_stop(stop_);
    visit(first, std::min(piece_, entries.end - first));
  }
}

template <class Visit>
auto StraightWriters::visit_piece(std::int64_t first, std::int64_t length,
                                  std::vector<std::uint32_t>& read, const Visit& visit) const {
  const auto count = static_cast<std::size_t>(length);
  if (writes_.reader == nullptr) {
    return writes_.destination_of_entry.visit([&](auto all) {
      return visit(first, all.subspan(static_cast<std::size_t>(first), count));
    });
  }
  read.resize(std::max(read.size(), count));
  writes_.reader->read(first, std::span(read).first(count));
  return visit(first, std::span<const std::uint32_t>(read).first(count));
}

template <class Visit>
void StraightWriters::visit_pieces(Range entries, const Visit& visit) const {
  std::vector<std::uint32_t> read;
  visit_parts(entries, [&](std::int64_t first, std::int64_t length) {
    visit_piece(first, length, read, visit);
  });
}

template <class Visit>
void StraightWriters::visit_pieces_backward(const Visit& visit) const {
  std::vector<std::uint32_t> read;
  for (std::int64_t end = entries(); end > 0; end = std::max<std::int64_t>(end - piece_, 0)) {
    check_stop(stop_);
    const std::int64_t length = std::min(piece_, end);
    if (!visit_piece(end - length, length, read, visit)) return;
  }
}

template <class Visit>
void StraightWriters::visit_pieces(const Visit& visit) const {
  visit_pieces({.begin = 0, .end = entries()}, visit);
}

template <class Visit>
void StraightWriters::visit_batches(Range range, const Visit& visit) const {
  const std::int64_t size = batch_size();
  if (size == 0) return;
  for (std::int64_t batch = range.begin / size;
       batch < writes_.batches.count() && batch * size < range.end; ++batch)
    visit(batch * size, writes_.batches.offset(batch));
}

template <class Visit>
void StraightWriters::visit(Range range, const Visit& visit) const {
  const std::int64_t block = writes_.blocks.count();
  visit_batches(range, [&](std::int64_t output, std::int64_t updates) {
    visit_pieces([&](std::int64_t entry, auto destinations) {
      for (const auto destination : destinations) {
        const std::int64_t update = updates + writes_.update_of(entry++);
        if (is_dropped(destination)) continue;
        const std::int64_t begin = output + static_cast<std::int64_t>(destination) * block;
        const Range part = intersection({.begin = range.begin - begin, .end = range.end - begin},
                                        {.begin = 0, .end = block});
        if (part.length() > 0) visit_block(writes_.blocks, begin, update, part, visit);
      }
    });
  });
}

}  // namespace tscatter
