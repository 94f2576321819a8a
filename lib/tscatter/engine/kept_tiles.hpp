// KeptTiles: what an undo log was told of each tile of a job whose entries are read again for the
// change. Others than those must not write what is not kept. Not part of the installed interface.
#pragma once

#include <cstdint>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/plan/entry_reader.hpp"

namespace tscatter {

// A checksum of some ranges, in any order; of none it is 0.
class RangesSum {
 public:
  void add(ByteRange range) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
    std::uint64_t mixed = static_cast<std::uint64_t>(range.begin) * odd;
    mixed = (mixed ^ mixed >> 32U ^ static_cast<std::uint64_t>(range.end)) * odd;
    sum_ += mixed ^ mixed >> 29U;
  }
  std::uint32_t value() const { return static_cast<std::uint32_t>(sum_ ^ sum_ >> 32U); }

 private:
  std::uint64_t sum_ = 0;
};

class KeptTiles {
 public:
  void begin(std::int64_t tiles) { sums_.assign(static_cast<std::size_t>(tiles), 0); }
  // From any thread, each tile once.
  void keep(std::int64_t tile, const RangesSum& sum) {
    sums_[static_cast<std::size_t>(tile)] = sum.value();
  }
  // Throws Error (file, file.f3) when the tile's ranges are not those that were kept.
  void require(std::int64_t tile, const RangesSum& sum) const {
    if (sums_[static_cast<std::size_t>(tile)] != sum.value()) refuse_changed_entries();
  }

 private:
  std::vector<std::uint32_t> sums_;
};

}  // namespace tscatter
