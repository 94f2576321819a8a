#include "tscatter/engine/unlisted_writers.hpp"

#include <utility>

namespace tscatter {

LatticeWriters::LatticeWriters(LatticeWrites writes, const Grouping& grouping)
    : writes_{std::move(writes)},
      reduction_{grouping.reduction},
      tile_elements_{grouping.tile_elements},
      extent_(writes_.axes.size() + 1, writes_.run) {
  for (std::size_t axis = writes_.axes.size(); axis-- > 0;) {
    extent_[axis] =
        (writes_.axes[axis].count - 1) * writes_.axes[axis].output_stride + extent_[axis + 1];
  }
}

// The number of lattice elements whose output position is below `output`.
std::int64_t LatticeWriters::elements_before(std::int64_t output) const {
  std::int64_t rest = output - writes_.output_origin;
  std::int64_t inner = elements();
  std::int64_t before = 0;
  if (inner == 0) return 0;
  for (const LatticeWrites::Axis& axis : writes_.axes) {
    if (rest <= 0) return before;
    inner /= axis.count;
    const std::int64_t whole = std::min(axis.count - 1, rest / axis.output_stride);
    before += whole * inner;
    rest -= whole * axis.output_stride;
  }
  return before + std::clamp<std::int64_t>(rest, 0, writes_.run);
}

bool LatticeWriters::overwrites(Range range) const {
  if (reduction_ != Reduction::none) return false;
  return elements_before(range.end) - elements_before(range.begin) == range.length();
}

}  // namespace tscatter
