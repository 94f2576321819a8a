// OutputPart: the part of the output that a job writes, and its tiles. Not part of the installed
// interface.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "tscatter/engine/range.hpp"

namespace tscatter {

// `range`, and the same in each of `repeats` batches, which lie `stride` elements apart; and of
// that only what is `within`.
struct OutputPart {
  Range range;
  std::int64_t repeats = 1;
  std::int64_t stride = 0;
  Range within{.begin = 0, .end = std::numeric_limits<std::int64_t>::max()};

  // How many tiles the part has. Tile boundaries are the whole output's, whose first tile is
  // `phase` elements short; with several batches, the first tile of each begins where its range
  // does.
  std::int64_t tiles(std::int64_t tile_elements, std::int64_t phase) const {
    if (range.length() <= 0) return 0;
    if (repeats != 1) return repeats * tiles_of_batch(tile_elements);
    return (range.end + phase - 1) / tile_elements - (range.begin + phase) / tile_elements + 1;
  }
  // May be empty.
  Range tile(std::int64_t index, std::int64_t tile_elements, std::int64_t phase) const {
    std::int64_t begin = 0;
    Range all = range;
    if (repeats == 1) {
      begin = ((range.begin + phase) / tile_elements + index) * tile_elements - phase;
    } else {
      const std::int64_t shift = index / tiles_of_batch(tile_elements) * stride;
      all = {.begin = range.begin + shift, .end = range.end + shift};
      begin = all.begin + index % tiles_of_batch(tile_elements) * tile_elements;
    }
    const Range tile = intersection({.begin = begin, .end = begin + tile_elements}, all);
    return intersection(tile, within);
  }

 private:
  std::int64_t tiles_of_batch(std::int64_t tile_elements) const {
    return (range.length() + tile_elements - 1) / tile_elements;
  }
};

}  // namespace tscatter
