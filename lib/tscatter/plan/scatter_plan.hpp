// ScatterPlan: which updates go where. Every operation lowers to it, and the engine runs nothing
// else. Positions are in elements, in the order of the operand's own file, and in range by
// construction.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/plan/destinations.hpp"
#include "tscatter/plan/unlisted_writes.hpp"

namespace tscatter {

// What an index entry names: the axes [first, first + depth) of data. Entries are numbered in
// row-major order of `shape`, which is the shape of indices without an axis of coordinates. Where
// an entry is a position in a window, `shape` has further axes, and `of_indices` lists the axes
// that come from indices.
struct EntryAxes {
  std::size_t first = 0;
  std::size_t depth = 0;
  Shape shape = {};
  std::optional<std::vector<std::size_t>> of_indices = std::nullopt;  // nullopt: all

  // The position in indices of the plan's entry of that number.
  Position position(std::int64_t entry) const;
};

// Writes whose destinations come from an index tensor. The output is seen as
// [batches, destinations, block], where `destinations` counts all that an entry could name; the
// same entries write to the same destinations in each batch. Element j of the block that entry e
// writes in batch b is
//   output[(b * destinations + destination_of_entry[e]) * block + j]
//   updates[batches.offset(b) + entries.offset(e) + blocks.offset(j)]
// Entries are applied in order. Axes of updates are written {count, stride} here.
//
// data [4,3], ScatterNDUpdate, indices [[1],[3]]: 1 batch, 4 destinations, block 3,
// destination_of_entry {1, 3}, entries {2, 3}, blocks {3, 1}
//
// The same with data in Fortran order: its file holds the array [3,4] in C order, so what was the
// block is now the batch: batches {3, 1}, 4 destinations, block 1, destination_of_entry {1, 3},
// entries {2, 3}
//
// data [2,4], ScatterUpdate axis 1, indices [1,3]: batches {2, 2}, 4 destinations, block 1,
// destination_of_entry {1, 3}, entries {2, 1}
//
// data [3,2], ScatterElementsUpdate axis 0, indices [[2,0],[0,1]]: an entry for each element of
// indices: 1 batch, 6 destinations, block 1, destination_of_entry {4, 1, 0, 3}, entries {4, 1}
//
// data [2,4,3], onnx.TensorScatter axis 1, circular, indices [3,1], updates [2,2,3]: an entry for
// each position of a window; the first window goes on at the beginning of its row: 1 batch, 8
// destinations, block 3, destination_of_entry {3, 0, 5, 6}, entries {4, 3}
struct ListedWrites {
  std::int64_t destinations = 1;
  DestinationList destination_of_entry;
  StridedAxes batches;  // strides, here and below, are in elements of updates
  StridedAxes entries;
  StridedAxes blocks;
  EntryAxes named = {};
  // How many entries make a row: if all indices of a row are equal, its entries go to neighbouring
  // destinations. A row begins at a multiple of this, and lies together in updates.
  std::int64_t entries_in_row = 1;
  // In the place of destination_of_entry, where that would be longer than memory allows, or where a
  // list may not be needed; how many of its entries are dropped.
  std::shared_ptr<const EntryReader> reader = nullptr;
  std::int64_t reader_dropped = 0;
  // Whether the reader reads memory, never drops an entry, and has destinations of 32 bits; a list
  // would fit, too.
  bool is_left_to_reader = false;

  std::int64_t dropped() const {
    return reader == nullptr ? destination_of_entry.dropped() : reader_dropped;
  }
  // Entries that write something.
  std::int64_t kept() const {
    return reader == nullptr ? destination_of_entry.kept() : reader->size() - reader_dropped;
  }
  // Where in updates the part of the entry begins, in the first batch.
  std::int64_t update_of(std::int64_t entry) const { return entries.offset(entry); }
  // Whether one entry's part is as far from the next one's as any other's.
  bool has_linear_entries() const { return entries.is_linear(); }
};

// Writes at the points of a lattice, each point once. A point is a run of `run` elements that are
// contiguous in updates and in output. Output strides are positive, and the points of an inner axis
// lie between two points of its outer one.
//
// data [3,5], start 0,1, stop 3,5, step 2,2: axes {2, 10, 2} {2, 2, 1}, output_origin 1, run 1
// data [4,6], start 1, stop 3, step 1 (whole rows): no axes, output_origin 6, run 12
// data [5], start -1, stop -9, step -2: axes {3, 2, -1}, output_origin 0, updates_origin 2, run 1
struct LatticeWrites {
  struct Axis {
    std::int64_t count;
    std::int64_t output_stride;
    std::int64_t updates_stride;
  };
  std::vector<Axis> axes;  // outermost first
  std::int64_t run = 1;
  std::int64_t output_origin = 0;
  std::int64_t updates_origin = 0;

  std::int64_t points() const;
  // The number of the element of updates that is written to element `output` of the output; nullopt
  // if none is.
  std::optional<std::int64_t> update_at(std::int64_t output) const;
};

// Builds a lattice from nested loops, outermost first. Loops that continue each other in both
// operands become one, and the innermost one becomes the run where it is contiguous in both.
class LatticeBuilder {
 public:
  void shift_output(std::int64_t elements) { lattice_.output_origin += elements; }

  // A negative output stride is walked from its other end: each point is written once, so the order
  // does not matter.
  void append(LatticeWrites::Axis axis);

  LatticeWrites build() const;

 private:
  LatticeWrites lattice_;
};

struct ScatterPlan {
  Reduction reduction = Reduction::none;
  InitialValue initial = InitialValue::data;
  MeanRules mean = {};
  Accumulation accumulation = Accumulation::each_step;
  std::variant<ListedWrites, LatticeWrites, IndexedWrites, MaskWrites> writes;
};

// The same writes, where each element of data and of updates is seen as `parts` elements.
// REQUIRES: they are listed or a lattice.
ScatterPlan in_parts(ScatterPlan plan, std::int64_t parts);

// How updates is walked: by the index entries, outermost axis first, and along each axis of data
// that no entry names (along the others: 0). Strides in elements of updates.
struct UpdatesWalk {
  std::vector<StridedAxes::Axis> entries;
  std::vector<std::int64_t> strides;
};

// The plan of an operation whose entries name the axes [first, first + depth) of data.
// destination_of_entry is left empty.
ListedWrites listed_writes(const TensorHeader& data, std::size_t first, std::size_t depth,
                           const UpdatesWalk& updates);

// The plan of an operation that indexes the axes [first, first + depth) of data, and whose updates
// have `entry_rank` axes (the index entries) in their place. destination_of_entry is left empty.
// REQUIRES: the shapes agree; where one element is expected, updates of exactly one element may
// have any shape.
ListedWrites listed_writes(const TensorHeader& data, std::size_t first, std::size_t depth,
                           const TensorHeader& updates, std::size_t entry_rank);

// For each axis in [first, first + depth): how far apart neighbouring indices are, in the
// destinations of listed_writes.
std::vector<std::int64_t> destination_strides(const TensorHeader& data, std::size_t first,
                                              std::size_t depth);

// Folding: where the index is the same for all elements after the axis, as when row numbers were
// repeated to the shape of updates, the entries of one row become one entry, whose block is the
// row. What is written, and in which order, stays the same; reports still count the entries as they
// were given.
//
// data [4,3], elements along axis 0, indices [[2,2,2],[0,0,0]]: destinations 12,
// destination_of_entry {6, 7, 8, 0, 1, 2} becomes destinations 4, destination_of_entry {2, 0},
// block 3
//
// Folds each row of writes.entries_in_row entries into one entry, if all rows allow it. Returns how
// many entries became one: 1 if nothing was folded. Throws Cancelled.
std::int64_t fold_entries(ListedWrites& writes, const Parallelism& parallelism);

// ---- LoweredPlan: the plan of one call, and how many index entries it has.

struct LoweredPlan {
  ScatterPlan plan;
  std::int64_t index_entries = 0;                      // 0 for a slice: it has none
  std::optional<std::int64_t> dropped = std::nullopt;  // of them; nullopt: the policy drops none

  // Of a slice: none.
  EntryAxes entries() const {
    const auto* listed = std::get_if<ListedWrites>(&plan.writes);
    return listed == nullptr ? EntryAxes{} : listed->named;
  }
};

}  // namespace tscatter
