// Which writes fall into a range of the output. Seven forms: single elements with their values
// (element_writers.hpp), blocks from an index tensor, elements or blocks in the order of their
// entries (straight_writers.hpp), blocks whose entries are read again for each tile, the points of
// a lattice, which are generated (unlisted_writers.hpp), boxes (box_writers.hpp), whose indices are
// read again, and where a mask is true (unlisted_writers.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/box_writers.hpp"
#include "tscatter/engine/element_writers.hpp"
#include "tscatter/engine/grouped_entries.hpp"
#include "tscatter/engine/grouping.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/engine/straight_writers.hpp"
#include "tscatter/engine/unlisted_writers.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// Writes of whole blocks, in any number of batches.
class BlockWriters {
 public:
  // For overwrite, only the last writer of each destination stays.
  BlockWriters(ListedWrites writes, const Grouping& grouping);

  WriteSizes sizes() const;
  std::int64_t count_distinct(const Grouping& grouping) const;
  // Whether every element of the range is overwritten, so that data need not be read there.
  bool overwrites(Range range) const;
  bool meets(Range range) const;

  // Calls visit(StridedRun) for each write into the range, in the order in which to apply them.
  template <class Visit>
  void visit(Range range, const Visit& visit) const;

  // Calls visit(batch, part of the range in the batch, its destinations, candidate writers). Some
  // candidates write outside these destinations. Candidates with the same destination come in the
  // order of their entries.
  template <class Visit>
  void visit_batches(Range range, const Visit& visit) const;

  // destination_of_entry is empty.
  const ListedWrites& writes() const { return writes_; }

  // The destinations of all entries in their order, where updates of a batch lie side by side and
  // each is one element that is combined; else empty.
  std::span<const std::uint32_t> places() const { return places_; }

  static BucketGrid grid_of(const ListedWrites& writes, std::int64_t tile_elements);

 private:
  bool has_places() const;

  ListedWrites writes_;  // destination_of_entry is empty: entries_ has it, grouped
  Reduction reduction_;
  std::int64_t tile_elements_;
  GroupedEntries entries_;
  std::vector<std::uint32_t> places_ = {};
};

// Writes of blocks whose entries are more than memory allows, although they go to few places: all
// entries are read again for each tile.
class StreamedWriters {
 public:
  StreamedWriters(ListedWrites writes, const Grouping& grouping);

  WriteSizes sizes() const;
  std::int64_t count_distinct(const Grouping& grouping) const;
  bool meets(Range) const { return true; }

  // Calls visit(StridedRun) for each write into the range, in the order of the entries.
  template <class Visit>
  void visit(Range range, const Visit& visit) const;

 private:
  // Calls visit(entry, destination) for the entries that go there, in their order.
  template <class Visit>
  void visit_entries(Range destinations, const Visit& visit) const;

  ListedWrites writes_;
  EntryWindow window_;
  StopFlag stop_;
  std::int64_t tile_elements_;
  std::int64_t entries_;
};

// The writes of a run, in the form that suits them best.
class Writers {
 public:
  using Form =
      std::variant<ElementWriters<SmallRecord>, ElementWriters<LargeRecord>, BlockWriters,
                   StraightWriters, StreamedWriters, LatticeWriters, BoxWriters, MaskWriters>;

  template <class SomeForm>
  explicit Writers(SomeForm form) : sizes_{form.sizes()}, form_{std::move(form)} {}

  const Form& form() const { return form_; }
  const WriteSizes& sizes() const { return sizes_; }

  // Distinct destinations. REQUIRES: the form is not BoxWriters.
  std::int64_t count_distinct(const Grouping& grouping) const;
  // Whether anything is written into the range.
  bool meets(Range range) const;
  // Whether all of the range is certain to be overwritten, so that data need not be read there.
  bool overwrites(Range range) const;

  // Calls visit(Range) for each piece of the tile that is written.
  template <class Visit>
  void visit_extents(Range tile, const Visit& visit) const {
    std::visit(
        [&](const auto& form) {
          if constexpr (requires { form.visit_extents(tile, visit); }) {
            form.visit_extents(tile, visit);
          } else {
            form.visit(tile, [&](const StridedRun& run) { visit(run.extent()); });
          }
        },
        form_);
  }

 private:
  WriteSizes sizes_;
  Form form_;
};

Writers make_writers(ScatterPlan plan, const Tensor& data, const Tensor& updates,
                     const Grouping& grouping);

// How the entries of a plan that are read again are grouped: the buckets, and the bytes for each.
struct EntryGrid {
  BucketGrid buckets;
  std::int64_t bytes_per_entry = 0;
};
EntryGrid entry_grid(const ListedWrites& writes, const ElementType& type, const Grouping& grouping);

template <class Visit>
void BlockWriters::visit_batches(Range range, const Visit& visit) const {
  const std::int64_t block = writes_.blocks.count();
  const std::int64_t batch_size = writes_.destinations * block;
  if (entries_.size() == 0 || batch_size == 0) return;
  for (std::int64_t batch = range.begin / batch_size; batch * batch_size < range.end; ++batch) {
    const std::int64_t origin = batch * batch_size;
    const Range local = intersection({.begin = range.begin - origin, .end = range.end - origin},
                                     {.begin = 0, .end = batch_size});
    const Range destinations{.begin = local.begin / block, .end = (local.end - 1) / block + 1};
    visit(batch, local, destinations, entries_.buckets().meeting(destinations));
  }
}

template <class Visit>
void BlockWriters::visit(Range range, const Visit& visit) const {
  const std::int64_t block = writes_.blocks.count();
  visit_batches(range, [&](std::int64_t batch, Range local, Range destinations,
                           std::span<const IndexEntry> writers) {
    const std::int64_t origin = batch * writes_.destinations * block;
    const std::int64_t updates_origin = writes_.batches.offset(batch);
    for (const IndexEntry& writer : writers) {
      if (writer.destination < destinations.begin || writer.destination >= destinations.end)
        continue;
      const std::int64_t begin = writer.destination * block;
      const Range part = intersection({.begin = local.begin - begin, .end = local.end - begin},
                                      {.begin = 0, .end = block});
      visit_block(writes_.blocks, origin + begin, updates_origin + writes_.update_of(writer.entry),
                  part, visit);
    }
  });
}

template <class Visit>
void StreamedWriters::visit_entries(Range destinations, const Visit& visit) const {
  const EntryCounts& counts = *window_.counts;
  for (std::int64_t part = 0; part < counts.parts(); ++part) {
    counts.visit(part, destinations, stop_, [&](std::int64_t entry, auto some) {
      for (const std::uint64_t destination : some) {
        if (!is_dropped(destination)) visit(entry, static_cast<std::int64_t>(destination));
        ++entry;
      }
    });
  }
}

template <class Visit>
void StreamedWriters::visit(Range range, const Visit& visit) const {
  const std::int64_t block = writes_.blocks.count();
  const std::int64_t batch_size = writes_.destinations * block;
  if (batch_size == 0) return;
  const Range batches{.begin = range.begin / batch_size, .end = (range.end - 1) / batch_size + 1};
  visit_entries(window_.destinations, [&](std::int64_t entry, std::int64_t destination) {
    for (std::int64_t batch = batches.begin; batch < batches.end; ++batch) {
      const std::int64_t begin = batch * batch_size + destination * block;
      const Range part = intersection({.begin = range.begin - begin, .end = range.end - begin},
                                      {.begin = 0, .end = block});
      if (part.length() <= 0) continue;
      visit_block(writes_.blocks, begin, writes_.batches.offset(batch) + writes_.update_of(entry),
                  part, visit);
    }
  });
}

}  // namespace tscatter
