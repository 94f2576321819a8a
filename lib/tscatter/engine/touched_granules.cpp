#include "tscatter/engine/touched_granules.hpp"

namespace tscatter {

void TouchedGranules::mark(const TileJob& job, Range tile, std::int64_t granule_size) {
  const std::int64_t size = job.element_size();
  size_ = granule_size;
  lead_ = (tile.begin * size + job.output.page_offset()) % size_;
  tile_bytes_ = tile.length() * size;
  const auto granule_of = [&](std::int64_t byte) { return (byte + lead_) / size_; };
  marked_.assign(static_cast<std::size_t>(granule_of(tile_bytes_ - 1) + 1), 0);
  job.writers.visit_extents(tile, [&](Range extent) {
    const std::int64_t first = granule_of((extent.begin - tile.begin) * size);
    const std::int64_t last = granule_of((extent.end - tile.begin) * size - 1);
    std::fill(marked_.begin() + first, marked_.begin() + last + 1, 1);
  });
}

RangesSum TouchedGranules::sum() const {
  RangesSum sum;
  visit([&](std::int64_t first, std::int64_t count) {
    sum.add({.begin = first, .end = first + count});
  });
  return sum;
}

}  // namespace tscatter
