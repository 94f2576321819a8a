// CRC-32, the checksum of zip archives, for bytes that are read or written in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/progress.hpp"

namespace tscatter {

std::uint32_t crc_of(std::span<const std::byte> bytes);

// The checksum of a whole source, which several workers read in pieces. Throws Cancelled when *stop
// becomes true.
std::uint32_t crc_of(const Source& source, const Parallelism& parallelism);

// Combines the checksums of ranges into the checksum of the whole.
class RangeCrc {
 public:
  // Safe to call from several threads.
  void add(std::int64_t offset, std::span<const std::byte> bytes);

  // The checksum of the bytes from 0 to `size`; nullopt where the ranges leave a gap, or overlap.
  std::optional<std::uint32_t> total(std::int64_t size) const;

 private:
  struct Range {
    std::int64_t size;
    std::uint32_t crc;
  };

  void append(Range& range, const Range& next);

  mutable std::mutex mutex_;
  std::map<std::int64_t, Range> ranges_;  // by offset; neighbours are merged
  bool overlaps_ = false;
};

}  // namespace tscatter
