#include "tscatter/engine/tile_hooks.hpp"

#include <algorithm>

#include "tscatter/kernels/identity.hpp"

namespace tscatter {

TileHooks::TileHooks(const TileJob& job)
    : job_{job},
      start_{start_value(job.combiner.accumulator, job.reduction, job.initial)},
      divide_{divide_loop(job.combiner.accumulator, job.reduction)} {}

std::span<std::byte> TileHooks::prepare(Range tile, std::span<std::byte> bytes) {
  if (!job_.combiner.is_wide()) {
    put_start(tile, bytes);
    return bytes;
  }
  wide_.resize(static_cast<std::size_t>(tile.length() * job_.value_size()));
  job_.combiner.widen(bytes.data(), wide_.data(), tile.length());
  put_start(tile, wide_);
  return wide_;
}

void TileHooks::finish(Range tile, std::span<std::byte> bytes) {
  if (!job_.combiner.is_wide()) return divide(tile, bytes);
  divide(tile, wide_);
  narrow_touched(tile, bytes);
}

void TileHooks::put_start(Range tile, std::span<std::byte> values) const {
  if (start_.empty()) return;
  const auto size = static_cast<std::int64_t>(start_.size());
  job_.writers.visit_extents(tile, [&](Range extent) {
    for (std::int64_t element = extent.begin; element < extent.end; ++element)
      std::ranges::copy(start_, values.begin() + (element - tile.begin) * size);
  });
}

void TileHooks::divide(Range tile, std::span<std::byte> values) {
  if (divide_ == nullptr) return;
  divisors_.assign(static_cast<std::size_t>(tile.length()), 0);
  job_.writers.visit_extents(tile, [&](Range extent) {
    for (std::int64_t element = extent.begin; element < extent.end; ++element)
      ++divisors_[static_cast<std::size_t>(element - tile.begin)];
  });
  for (std::int64_t& divisor : divisors_) {
    if (divisor > 0) divisor = divisor_of(job_.reduction, job_.initial, divisor);
  }
  divide_(values.data(), divisors_.data(), tile.length());
}

void TileHooks::narrow_touched(Range tile, std::span<std::byte> bytes) const {
  job_.writers.visit_extents(tile, [&](Range extent) {
    const std::int64_t first = extent.begin - tile.begin;
    job_.combiner.narrow(wide_.data() + first * job_.value_size(),
                         bytes.data() + first * job_.element_size(), extent.length());
  });
}

}  // namespace tscatter
