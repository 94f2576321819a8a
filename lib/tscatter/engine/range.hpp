// Ranges of elements, and how they are cut: OutputPart, what a job writes, into tiles, BucketGrid,
// destinations, into buckets.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace tscatter {

// A half-open range of output elements.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t length() const { return end - begin; }
};

inline Range intersection(Range a, Range b) {
  return {.begin = std::max(a.begin, b.begin), .end = std::min(a.end, b.end)};
}

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

// Buckets are powers of two wide, so that a shift finds a destination's bucket. The first one is
// shorter by `phase` destinations.
struct BucketGrid {
  std::int64_t destinations = 1;
  std::int64_t phase = 0;
  int shift = 0;

  // Buckets of at most `width` destinations, or wider, to have at most 2^18 buckets.
  static BucketGrid of(std::int64_t destinations, std::int64_t width, std::int64_t phase = 0) {
    constexpr std::int64_t most = std::int64_t{1} << 18;
    BucketGrid grid{
        .destinations = std::max<std::int64_t>(destinations, 1), .phase = phase, .shift = 0};
    const auto widest = static_cast<std::uint64_t>(std::max<std::int64_t>(width, 1));
    grid.shift = static_cast<int>(std::bit_width(widest)) - 1;
    while ((grid.destinations - 1 + phase) >> grid.shift >= most) ++grid.shift;
    return grid;
  }

  std::int64_t width() const { return std::int64_t{1} << shift; }
  std::size_t count() const { return bucket_of(destinations - 1) + 1; }
  std::size_t bucket_of(std::int64_t destination) const {
    return static_cast<std::size_t>((destination + phase) >> shift);
  }
  // The destination's place in its bucket: in [0, width).
  std::uint32_t place_of(std::int64_t destination) const {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(destination + phase) &
                                      static_cast<std::uint64_t>(width() - 1));
  }
  std::int64_t first_destination(std::size_t bucket) const {
    return (static_cast<std::int64_t>(bucket) << shift) - phase;
  }
};

}  // namespace tscatter
