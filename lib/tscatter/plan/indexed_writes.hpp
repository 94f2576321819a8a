// IndexedWrites: the writes of the form elements without a list of their destinations. Whoever
// needs them reads the indices again, in pieces. docs/decisions/0023 says when entries are listed
// instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "tscatter/core/progress.hpp"
#include "tscatter/plan/strided_axes.hpp"

namespace tscatter {

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

}  // namespace tscatter
