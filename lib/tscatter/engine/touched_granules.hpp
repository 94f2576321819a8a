// TouchedGranules: the parts of a tile that are read, changed and written back when little of it is
// touched. Granules begin at multiples of their size in the output's file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tscatter/engine/tile_job.hpp"

namespace tscatter {

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
