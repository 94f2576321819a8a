// BucketGrid: destinations cut into buckets of equal width. Not part of the installed interface.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tscatter {

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
