// Writes without a list of destinations: of the form elements, of a mask, and the nested loops over
// their operands.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

// ---- StridedAxes: nested loops over one operand, outermost first, each with a count and a stride
// in elements.

class StridedAxes {
 public:
  struct Axis {
    std::int64_t count;
    std::int64_t stride;
  };

  // Adds a loop inside the present ones; loops that continue each other become one.
  // {4, stride 6} then {6, stride 1} -> {24, stride 1}
  void append(Axis axis);

  std::int64_t count() const { return count_; }
  const std::vector<Axis>& axes() const { return axes_; }

  // Whether the i-th step is at i * stride() for one stride.
  bool is_linear() const { return axes_.size() <= 1; }
  // REQUIRES: is_linear().
  std::int64_t stride() const { return axes_.empty() ? 1 : axes_.front().stride; }

  // Where the index-th step of the nested loops is. REQUIRES: 0 <= index < count().
  std::int64_t offset(std::int64_t index) const;

  // Calls visit(first, count, offset of the first, stride) for the steps [begin, end), in order, in
  // pieces within the innermost loop. REQUIRES: 0 <= begin, end <= count().
  template <class Visit>
  void visit_pieces(std::int64_t begin, std::int64_t end, const Visit& visit) const {
    const Axis inner = axes_.empty() ? Axis{.count = 1, .stride = 1} : axes_.back();
    for (std::int64_t first = begin; first < end;) {
      const std::int64_t count = std::min(inner.count - first % inner.count, end - first);
      visit(first, count, offset(first), inner.stride);
      first += count;
    }
  }

 private:
  std::vector<Axis> axes_;
  std::int64_t count_ = 1;
};

// ---- IndexedWrites: the writes of the form elements without a list of their destinations. Whoever
// needs them reads the indices again, in pieces. docs/decisions/0023 says when entries are listed
// instead.

struct ListedWrites;

// Rows of index entries that stand one below the other: `rows` times `length` entries, each row
// `stride` after the one before. Entries are counted in row-major order of indices.
struct EntryRows {
  std::int64_t first = 0;
  std::int64_t length = 0;
  std::int64_t stride = 0;
  std::int64_t rows = 1;

  std::int64_t count() const { return length * rows; }
};

// What indices say: the position of each entry along the axis.
class IndexedPositions {
 public:
  virtual ~IndexedPositions() = default;

  // Fills into[0, entries.count()) with positions; dropped_entry<std::uint32_t> stands for one that
  // writes nothing. Returns how many of these there are. May be called from several threads. Throws
  // Error: as the lowering does if indices have changed since, and (file) if they cannot be read.
  virtual std::int64_t read(const EntryRows& entries, std::uint32_t* into) const = 0;

  // Whether indices are read where they lie in memory or in a mapped file: rows cost no call each.
  virtual bool has_view() const = 0;
  // As Source::check_view().
  virtual void check_view() const = 0;

  // The same writes as a list; of more than `most_listed` entries, with a reader.
  virtual ListedWrites listed(const Parallelism& parallelism,
                              std::optional<std::int64_t> most_listed) const = 0;
};

// Data is seen as [outer, length, inner], the axis in the middle, and indices and updates as
// [outer_entries.count(), entries_along, inner_entries.count()], all in C order. Entry [o, r, i]
// writes element [outer_entries.offset(o), its position, inner_entries.offset(i)]. Both offsets
// ascend.
//
// data [4,3], elements along axis 0, indices [2,2]: outer 1, length 4, inner 3, outer_entries 1,
// entries_along 2, inner_entries {2, stride 1}
struct IndexedWrites {
  std::shared_ptr<const IndexedPositions> positions;
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  StridedAxes outer_entries;
  std::int64_t entries_along = 0;
  StridedAxes inner_entries;
  std::int64_t dropped = 0;  // entries

  std::int64_t entries() const {
    return outer_entries.count() * entries_along * inner_entries.count();
  }
  std::int64_t kept() const { return entries() - dropped; }
};

// ---- MaskWrites: the writes of a mask over the first axes of data, which is read beside data;
// there is no list of the places where it is true.

// How often a mask is true before each of its pieces, so that a reader may begin at any place. A
// byte that is not 0 is true.
class MaskCounts {
 public:
  // Reads the mask once. REQUIRES: it is of bools, in C order. Throws Error (file) and Cancelled.
  MaskCounts(Tensor mask, const Parallelism& parallelism);

  const Tensor& mask() const { return mask_; }
  std::int64_t trues() const { return before_.back(); }

  // How often the mask is true at the places [0, place) and [begin, end). Throws Error (file).
  std::int64_t before(std::int64_t place) const;
  std::int64_t within(std::int64_t begin, std::int64_t end) const {
    return before(end) - before(begin);
  }

  // The mask's bytes from the place on. Throws Error (file).
  void read(std::int64_t place, std::span<std::byte> into) const;

  // The places of the trues of the numbers first, first + 1, …. Throws Error (file): also if the
  // mask has changed since it was counted.
  void places(std::int64_t first, std::span<std::int64_t> into) const;

 private:
  static constexpr std::int64_t piece = std::int64_t{8} * 1024;

  Tensor mask_;
  std::vector<std::int64_t> before_;  // each piece, and the end
};

// Where the mask is true, a block of updates goes: the k-th true element takes block k. Mask and
// data are in C order.
//
// data [2,3], mask [[1,0,0],[1,1,0]], updates [3]: block 1, to the elements 0, 3 and 4
// data [3,4], mask [1,0,1], updates [2,4]: block 4, to the rows 0 and 2
struct MaskWrites {
  std::shared_ptr<const MaskCounts> mask;
  std::int64_t block = 1;

  std::int64_t elements() const { return mask->trues() * block; }
};

}  // namespace tscatter
