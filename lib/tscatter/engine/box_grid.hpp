// BoxGrid: how the output of indexed writes is cut into boxes, which no write crosses.
#pragma once

#include <cstdint>
#include <optional>

#include "tscatter/core/memory.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/plan/unlisted_writes.hpp"

namespace tscatter {

// Data is seen as [outer, length, inner], indexed along the axis in the middle. A box is a slab,
// all of `outers` places before the axis; or a strip, all positions along the axis for some
// `columns` after it. The elements of the output are counted box by box, so that each box is a
// range of numbers; in slabs that is the order of the file.
//
// data [4,3] indexed along axis 0, strips of 2 columns: elements 0 to 7 are columns 0 and 1, 8 to
// 11 column 2
class BoxGrid {
 public:
  // What is known of a run. Sizes in bytes.
  struct Run {
    std::int64_t element_size = 1;
    std::int64_t bytes_per_element = 1;  // that a worker holds, of a box
    std::int64_t tile_bytes = 1;
    std::int64_t page_offset = 0;  // of the output's first byte in its page, of a file or of memory
    bool takes_strips = false;     // rows of strips can be read and written at any place
    bool is_memory = false;        // the output
  };

  // nullopt: boxes would be too large for the caches, or their rows too short for a file.
  static std::optional<BoxGrid> of(const IndexedWrites& writes, const Run& run);

  bool has_strips() const { return columns_ < inner_; }
  std::int64_t boxes() const { return has_strips() ? outer_ * strips() : slabs(); }
  // For the boxes of all workers, in bytes.
  std::int64_t worker_memory() const { return worker_memory_; }
  // The number of elements of a whole box.
  std::int64_t box_elements() const { return outers_ * length_ * columns_; }

  // The box as a range of elements, in the order of boxes.
  Range box(std::int64_t index) const;

  // What follows is about strips. A band is the strips side by side that are written to a file
  // together; in memory, all of a place before the axis.
  std::int64_t bands() const { return outer_ * bands_in_outer(); }
  // The boxes of a band.
  Range strips_of(std::int64_t band) const;
  // Its columns, in each position along the axis.
  Range columns_of(std::int64_t band) const;
  std::int64_t outer_of(std::int64_t band) const { return band / bands_in_outer(); }

  // Where a box of strips is in data.
  struct Place {
    std::int64_t outer = 0;
    Range columns;
  };
  Place place_of(Range box) const;

  // The number, in the order of the file, of the first element of the row.
  std::int64_t row_begin(std::int64_t outer, std::int64_t row, std::int64_t column) const {
    return (outer * length_ + row) * inner_ + column;
  }
  std::int64_t length() const { return length_; }
  std::int64_t inner() const { return inner_; }

 private:
  explicit BoxGrid(const IndexedWrites& writes)
      : outer_{writes.outer}, length_{writes.length}, inner_{writes.inner} {}

  bool cut_bands(const Run& run, std::int64_t entries);  // false: their rows are too short
  // By how many columns the first of pieces of `width` columns is narrower, so that the others
  // begin on units of so many bytes; 0 where rows of data are not whole units.
  std::int64_t phase_for(std::int64_t width, std::int64_t unit, const Run& run) const;
  std::int64_t slabs() const { return (outer_ + outers_ - 1) / outers_; }
  std::int64_t strips() const { return (inner_ + phase_ + columns_ - 1) / columns_ - hidden(); }
  // Strips of the first band that would lie before column 0.
  std::int64_t hidden() const { return phase_ / columns_; }
  std::int64_t bands_in_outer() const { return (inner_ + phase_ + band_ - 1) / band_; }

  std::int64_t outer_;
  std::int64_t length_;
  std::int64_t inner_;
  std::int64_t tile_ = 1;  // bytes
  std::int64_t worker_memory_ = tile_memory;
  std::int64_t outers_ = 1;   // of a slab
  std::int64_t columns_ = 1;  // of a strip
  std::int64_t band_ = 1;     // columns of a band, a multiple of columns_
  std::int64_t phase_ = 0;    // by how many columns the first band is narrower
};

}  // namespace tscatter
