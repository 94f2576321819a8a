// TileHooks: what happens to the touched elements of a tile before the first update and after the
// last. Not part of the installed interface.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tscatter/engine/tile_job.hpp"
#include "tscatter/kernels/quotient.hpp"

namespace tscatter {

class TileHooks {
 public:
  explicit TileHooks(const TileJob& job);

  // `bytes`: the tile, in native byte order; may be anything where it is not touched.
  void prepare(Range tile, std::span<std::byte> bytes) const;
  void finish(Range tile, std::span<std::byte> bytes);

 private:
  const TileJob& job_;
  std::vector<std::byte> start_;  // empty: data's value
  DivideLoop divide_;             // nullptr: nothing is divided
  std::vector<std::int64_t> divisors_;
};

}  // namespace tscatter
