// TileHooks: what happens to the touched elements of a tile before the first update and after the
// last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/engine/tile_job.hpp"
#include "tscatter/kernels/quotient.hpp"
#include "tscatter/kernels/scatter.hpp"

namespace tscatter {

// Which elements of a tile or box were written.
class Marks {
 public:
  // For so many elements, none marked.
  void clear(std::int64_t elements);
  // `origin`: 0 where bits() are.
  void add(std::span<const std::uint32_t> places, std::int64_t origin) {
    if (are_bits_) return mark_bits(marks_.data(), places);
    auto* const bytes = reinterpret_cast<std::uint8_t*>(marks_.data()) + origin;
    for (const std::uint32_t place : places) bytes[place] = 1;
  }
  // For a loop that marks on its way; nullptr: the marks are bytes.
  std::uint64_t* bits() { return are_bits_ ? marks_.data() : nullptr; }
  std::int64_t count() const;

 private:
  // A byte for each element, or a bit where the nearest caches do not hold the bytes.
  std::vector<std::uint64_t> marks_;
  bool are_bits_ = false;
};

class TileHooks {
 public:
  explicit TileHooks(const TileJob& job);

  // `bytes`: the tile, in native byte order; may be anything where it is not touched. Returns what
  // the updates are applied to: the same, or its elements in the accumulator's dtype.
  std::span<std::byte> prepare(Range tile, std::span<std::byte> bytes);
  // Counts one more update for each of these elements, which are numbered from element `origin` of
  // the box. The writes of a box are read only once.
  void count(std::span<const std::uint32_t> places, std::int64_t origin) {
    if (counts_) {
      std::uint32_t* const updates = updates_of_.data() + origin;
      for (const std::uint32_t place : places) ++updates[place];
    } else if (job_.counts_written) {
      marks_.add(places, origin);
    }
  }
  std::uint64_t* bits() { return marks_.bits(); }
  // How many elements of the box were counted at least once. REQUIRES: job.counts_written.
  std::int64_t touched() const;
  void finish(Range tile, std::span<std::byte> bytes);

  // What a worker keeps of each element of a box beside the element, in bytes.
  static std::int64_t bytes_per_boxed_element(const Combiner& combiner, Reduction reduction,
                                              InitialValue initial);

 private:
  // Whether values are kept apart from the elements: only written ones go there.
  bool keeps_values() const { return job_.combiner.is_wide() || (counts_ && !start_.empty()); }
  std::span<std::byte> prepare_box(Range box, std::span<std::byte> bytes);
  void finish_box(Range box, std::span<std::byte> bytes);
  // Untouched elements keep their bits: they are not rounded back.
  void narrow_touched(Range tile, std::span<std::byte> bytes) const;
  void put_start(Range tile, std::span<std::byte> values) const;
  void divide(Range tile, std::span<std::byte> values);
  void count_divisors();

  const TileJob& job_;
  std::vector<std::byte> start_;  // empty: data's value
  DivideLoop divide_;             // nullptr: nothing is divided
  DivideByUpdates divide_box_;
  bool counts_;  // updates of each element, while they are applied
  std::vector<std::int64_t> divisors_;
  std::vector<std::uint32_t> updates_of_;  // of each element of a box
  Marks marks_;                            // of the elements that were counted
  std::vector<std::byte> values_;          // of the tile, in the accumulator's dtype
};

// ---- TouchedGranules: the parts of a tile that are read, changed and written back when little of
// it is touched. Granules begin at multiples of their size in the output's file.

class TouchedGranules {
 public:
  // Marks the tile's touched granules; `granule_size` is a power of two, in bytes.
  void mark(const TileJob& job, Range tile, std::int64_t granule_size);

  std::int64_t tile_bytes() const { return tile_bytes_; }
  RangesSum sum() const;

  // Calls visit(first byte in the tile, number of bytes) for each run of marked granules.
  template <class Visit>
  void visit(const Visit& visit) const;

 private:
  std::int64_t size_ = 1;
  std::int64_t lead_ = 0;  // the offset in bytes of the tile's first byte in its granule
  std::int64_t tile_bytes_ = 0;
  std::vector<char> marked_;  // bytes, which are searched faster than bits
};

template <class Visit>
void TouchedGranules::visit(const Visit& visit) const {
  for (auto at = marked_.begin();;) {
    const auto begin = std::find(at, marked_.end(), 1);
    if (begin == marked_.end()) return;
    at = std::find(begin, marked_.end(), 0);
    const std::int64_t first = (begin - marked_.begin()) * size_ - lead_;
    const std::int64_t last = (at - marked_.begin()) * size_ - lead_;
    const Range bytes =
        intersection({.begin = first, .end = last}, {.begin = 0, .end = tile_bytes_});
    visit(bytes.begin, bytes.length());
  }
}

}  // namespace tscatter
