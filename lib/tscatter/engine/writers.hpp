// Which writes fall into a range of the output. Six forms: single elements with their values,
// blocks from an index tensor, a few blocks in the order of their entries, blocks whose entries are
// read again for each tile, the points of a lattice, which are generated, and boxes
// (box_writers.hpp), whose indices are read again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/box_writers.hpp"
#include "tscatter/engine/buckets.hpp"
#include "tscatter/engine/grouped_entries.hpp"
#include "tscatter/engine/grouping.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/kernels/element_record.hpp"
#include "tscatter/kernels/scatter.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// Writes of one element each, in one batch: 8 to 12 bytes an entry hold destination and value, so
// that updates is read once, in sequence.
template <class Record>
class ElementWriters {
 public:
  // Whether the plan can take this form with tiles of this size.
  static bool fits(const ListedWrites& writes, const ElementType& type, const Grouping& grouping);

  // Values are in data's byte order for none, and native otherwise. REQUIRES: fits(…).
  ElementWriters(ListedWrites writes, const Tensor& data, const Tensor& updates,
                 const Grouping& grouping);

  // A tile is a bucket.
  WriteSizes sizes() const {
    const auto writes = static_cast<std::int64_t>(records_.size());
    return {.tile_elements = records_.grid().width(), .updates_read = writes, .extents = writes};
  }
  std::int64_t count_distinct(const Grouping& grouping) const;
  bool meets(Range tile) const { return !of_tile(tile).empty(); }

  // Returns how many updates were applied. REQUIRES: `tile` is a whole tile, `bytes` its elements.
  std::int64_t apply(Range tile, std::byte* bytes) const {
    const std::span<const Record> records = of_tile(tile);
    loop_(bytes, records_.grid().place_of(tile.begin), records);
    return static_cast<std::int64_t>(records.size());
  }

  // Calls visit(Range) for each element that is written.
  template <class Visit>
  void visit_extents(Range tile, const Visit& visit) const {
    const std::int64_t origin = destination_origin(tile);
    for (const Record& record : of_tile(tile)) {
      const std::int64_t element = origin + record.destination;
      visit(Range{.begin = element, .end = element + 1});
    }
  }

  // The updates of a tile, in the order of their entries. Their destinations count from
  // destination_origin().
  std::span<const Record> of_tile(Range tile) const {
    return records_.bucket(records_.grid().bucket_of(tile.begin));
  }
  std::int64_t destination_origin(Range tile) const {
    return tile.begin - records_.grid().place_of(tile.begin);
  }

 private:
  ScatterLoop<Record> loop_;
  Buckets<Record> records_;
};

// Calls visit(StridedRun) for the elements `part` of a block that begins at `output` and `updates`.
template <class Visit>
void visit_block(const StridedAxes& block, std::int64_t output, std::int64_t updates, Range part,
                 const Visit& visit) {
  block.visit_pieces(
      part.begin, part.end,
      [&](std::int64_t j, std::int64_t count, std::int64_t offset, std::int64_t stride) {
        visit(StridedRun{.output = output + j,
                         .updates = updates + offset,
                         .count = count,
                         .output_stride = 1,
                         .updates_stride = stride});
      });
}

// A few writes of whole blocks into memory that holds data: grouping would take longer than
// writing. The whole output is one tile.
class UngroupedWriters {
 public:
  static bool fits(const ListedWrites& writes, const ElementType& type, const Grouping& grouping);

  // REQUIRES: fits(…).
  explicit UngroupedWriters(ListedWrites writes) : writes_{std::move(writes)} {}

  WriteSizes sizes() const;
  std::int64_t count_distinct(const Grouping&) const;
  bool meets(Range) const { return sizes().extents > 0; }

  // Whether no entry is dropped, and updates holds the blocks one after another, in the order of
  // the entries.
  bool is_packed() const;

  // Calls visit(first element of the batch's output, of its updates, span of destinations, also of
  // entries that are dropped).
  template <class Visit>
  void visit_batches(const Visit& visit) const;

  // REQUIRES: the range is the whole output.
  template <class Visit>
  void visit(Range, const Visit& visit) const;

  template <class Visit>
  void visit_extents(Range range, const Visit& visit_extent) const {
    visit(range, [&](const StridedRun& run) { visit_extent(run.extent()); });
  }

 private:
  ListedWrites writes_;
};

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

  template <class Visit>
  void visit_extents(Range range, const Visit& visit_extent) const {
    visit(range, [&](const StridedRun& run) { visit_extent(run.extent()); });
  }

  // Calls visit(batch, part of the range in the batch, its destinations, candidate writers). Some
  // candidates write outside these destinations; those of one destination come in the order of
  // their entries.
  template <class Visit>
  void visit_batches(Range range, const Visit& visit) const;

  // destination_of_entry is empty.
  const ListedWrites& writes() const { return writes_; }

  static BucketGrid grid_of(const ListedWrites& writes, std::int64_t tile_elements);

 private:
  ListedWrites writes_;  // destination_of_entry is empty: entries_ has it, grouped
  Reduction reduction_;
  std::int64_t tile_elements_;
  GroupedEntries entries_;
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

  template <class Visit>
  void visit_extents(Range range, const Visit& visit_extent) const {
    visit(range, [&](const StridedRun& run) { visit_extent(run.extent()); });
  }

 private:
  // Calls visit(entry, destination) for the entries that go there, in their order.
  template <class Visit>
  void visit_entries(Range destinations, const Visit& visit) const;

  ListedWrites writes_;
  EntryWindow window_;
  const std::atomic<bool>* stop_;
  std::int64_t tile_elements_;
  std::int64_t entries_;
};

class LatticeWriters {
 public:
  LatticeWriters(LatticeWrites writes, const Grouping& grouping);

  WriteSizes sizes() const {
    return {.tile_elements = tile_elements_,
            .updates_read = elements(),
            .extents = writes_.points(),
            .run_elements = writes_.run};
  }
  std::int64_t count_distinct(const Grouping&) const { return elements(); }
  bool overwrites(Range range) const;
  bool meets(Range range) const {
    return elements_before(range.end) > elements_before(range.begin);
  }

  template <class Visit>
  void visit(Range range, const Visit& visit) const;

  template <class Visit>
  void visit_extents(Range range, const Visit& visit_extent) const;

 private:
  std::int64_t elements() const { return writes_.points() * writes_.run; }
  std::int64_t elements_before(std::int64_t output) const;
  template <class Visit>
  void visit_axis(std::size_t axis, std::int64_t output, std::int64_t updates, Range range,
                  const Visit& visit) const;

  LatticeWrites writes_;
  Reduction reduction_;
  std::int64_t tile_elements_;
  std::vector<std::int64_t>
      extent_;  // of axis i and all inner ones, in output elements; last: the run
};

// The writes of a run, in the form that suits them best.
class Writers {
 public:
  using Form = std::variant<ElementWriters<SmallRecord>, ElementWriters<LargeRecord>, BlockWriters,
                            UngroupedWriters, StreamedWriters, LatticeWriters, BoxWriters>;

  template <class SomeForm>
  explicit Writers(SomeForm form) : sizes_{form.sizes()}, form_{std::move(form)} {}

  const Form& form() const { return form_; }
  const WriteSizes& sizes() const { return sizes_; }

  // Distinct destinations.
  std::int64_t count_distinct(const Grouping& grouping) const;
  // Whether anything is written into the range.
  bool meets(Range range) const;
  // Whether all of the range is certain to be overwritten, so that data need not be read there.
  bool overwrites(Range range) const;

  // Calls visit(Range) for each piece of the tile that is written.
  template <class Visit>
  void visit_extents(Range tile, const Visit& visit) const {
    std::visit([&](const auto& form) { form.visit_extents(tile, visit); }, form_);
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
void UngroupedWriters::visit_batches(const Visit& visit) const {
  const std::int64_t batch_size = writes_.destinations * writes_.blocks.count();
  writes_.destination_of_entry.visit([&](auto destinations) {
    for (std::int64_t batch = 0; batch < writes_.batches.count(); ++batch)
      visit(batch * batch_size, writes_.batches.offset(batch), destinations);
  });
}

template <class Visit>
void UngroupedWriters::visit(Range, const Visit& visit) const {
  const std::int64_t block = writes_.blocks.count();
  visit_batches([&](std::int64_t output, std::int64_t updates, auto destinations) {
    std::int64_t entry = 0;
    for (const auto destination : destinations) {
      const std::int64_t update = updates + writes_.update_of(entry++);
      if (is_dropped(destination)) continue;
      visit_block(writes_.blocks, output + static_cast<std::int64_t>(destination) * block, update,
                  {.begin = 0, .end = block}, visit);
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

template <class Visit>
void LatticeWriters::visit(Range range, const Visit& visit) const {
  if (elements() == 0) return;
  visit_axis(0, writes_.output_origin, writes_.updates_origin, range, visit);
}

template <class Visit>
void LatticeWriters::visit_extents(Range range, const Visit& visit_extent) const {
  visit(range, [&](const StridedRun& run) {
    if (run.output_stride == 1) return visit_extent(run.extent());
    for (std::int64_t i = 0; i < run.count; ++i) {
      const std::int64_t element = run.output + i * run.output_stride;
      visit_extent(Range{.begin = element, .end = element + 1});
    }
  });
}

template <class Visit>
void LatticeWriters::visit_axis(std::size_t axis, std::int64_t output, std::int64_t updates,
                                Range range, const Visit& visit) const {
  if (axis == writes_.axes.size()) {
    const std::int64_t begin = std::max<std::int64_t>(range.begin - output, 0);
    const std::int64_t end = std::min(range.end - output, writes_.run);
    if (begin < end)
      visit(StridedRun{.output = output + begin, .updates = updates + begin, .count = end - begin});
    return;
  }
  const auto& [count, stride, updates_stride] = writes_.axes[axis];
  // The first point that reaches past range.begin, and the first that begins at range.end or after.
  const std::int64_t before = range.begin - output - extent_[axis + 1];
  const std::int64_t first = before < 0 ? 0 : before / stride + 1;
  const std::int64_t last = std::min(count, (range.end - output + stride - 1) / stride);
  if (first >= last) return;
  const std::int64_t output_begin = output + first * stride;
  const std::int64_t updates_begin = updates + first * updates_stride;
  if (axis + 1 == writes_.axes.size() && writes_.run == 1) {
    visit(StridedRun{.output = output_begin,
                     .updates = updates_begin,
                     .count = last - first,
                     .output_stride = stride,
                     .updates_stride = updates_stride});
    return;
  }
  for (std::int64_t i = 0; i < last - first; ++i) {
    visit_axis(axis + 1, output_begin + i * stride, updates_begin + i * updates_stride, range,
               visit);
  }
}

}  // namespace tscatter
