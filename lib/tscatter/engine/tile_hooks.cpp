#include "tscatter/engine/tile_hooks.hpp"

#include <algorithm>

#include "tscatter/kernels/identity.hpp"

namespace tscatter {

TileHooks::TileHooks(const TileJob& job)
    : job_{job},
      start_{start_value(job.data.type().dtype, job.reduction, job.initial)},
      divide_{divide_loop(job.data.type().dtype, job.reduction)} {}

void TileHooks::prepare(Range tile, std::span<std::byte> bytes) const {
  if (start_.empty()) return;
  const auto size = static_cast<std::int64_t>(start_.size());
  job_.writers.visit_extents(tile, [&](Range extent) {
    for (std::int64_t element = extent.begin; element < extent.end; ++element)
      std::ranges::copy(start_, bytes.begin() + (element - tile.begin) * size);
  });
}

void TileHooks::finish(Range tile, std::span<std::byte> bytes) {
  if (divide_ == nullptr) return;
  divisors_.assign(static_cast<std::size_t>(tile.length()), 0);
  job_.writers.visit_extents(tile, [&](Range extent) {
    for (std::int64_t element = extent.begin; element < extent.end; ++element)
      ++divisors_[static_cast<std::size_t>(element - tile.begin)];
  });
  for (std::int64_t& divisor : divisors_) {
    if (divisor > 0) divisor = divisor_of(job_.reduction, job_.initial, divisor);
  }
  divide_(bytes.data(), divisors_.data(), tile.length());
}

}  // namespace tscatter
