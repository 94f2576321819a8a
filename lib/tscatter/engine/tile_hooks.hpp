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

  // `bytes`: the tile, in native byte order; may be anything where it is not touched. Returns what
  // the updates are applied to: the same, or its elements in the accumulator's dtype.
  std::span<std::byte> prepare(Range tile, std::span<std::byte> bytes);
  void finish(Range tile, std::span<std::byte> bytes);

 private:
  // Untouched elements keep their bits: they are not rounded back.
  void narrow_touched(Range tile, std::span<std::byte> bytes) const;
  void put_start(Range tile, std::span<std::byte> values) const;
  void divide(Range tile, std::span<std::byte> values);

  const TileJob& job_;
  std::vector<std::byte> start_;  // empty: data's value
  DivideLoop divide_;             // nullptr: nothing is divided
  std::vector<std::int64_t> divisors_;
  std::vector<std::byte> wide_;  // the tile in the accumulator's dtype, if that is another one
};

}  // namespace tscatter
