// UnitSums: the sums of a part's units, taken while what is written is in the cache.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::app {

class UnitSums {
 public:
  // Sums the units of a file in a range that begins where a unit does.
  UnitSums(ByteRange range, std::int64_t unit);

  // What was written at that place in the file. From any thread. REQUIRES: it lies in the range,
  // and nothing is written twice.
  void add(std::int64_t place, std::span<const std::byte> bytes);

  // What unit_sums() of digest.hpp gives. Reads the pages that were written in pieces. Throws Error
  // (file) and Cancelled. REQUIRES: all of the range was written.
  std::vector<std::uint64_t> of_units(const File& file) const;

 private:
  void add_whole_pages(ByteRange pages, std::span<const std::byte> bytes);
  std::int64_t end_of_page(std::int64_t place) const;

  ByteRange range_;
  std::int64_t unit_;
  std::vector<std::atomic<std::uint64_t>> sums_;
  std::mutex mutex_;
  std::vector<std::int64_t> pieces_;  // where pages begin that were written in pieces
};

}  // namespace tscatter::app
