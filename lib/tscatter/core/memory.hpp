// How the memory limit that users rely on, 64 MiB plus 32 bytes per index entry, is shared out; and
// sizes in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

#include "tscatter/core/checked.hpp"

namespace tscatter {

inline constexpr std::int64_t mebibyte = std::int64_t{1} << 20U;

inline constexpr std::int64_t tile_memory = 48 * mebibyte;     // all tiles of a run, or of a verify
inline constexpr std::int64_t run_memory = 64 * mebibyte;      // of a run, beside its index entries
inline constexpr std::int64_t compare_memory = 40 * mebibyte;  // all that its workers hold

// How many workers with so many bytes each the memory allows: from 1 to 1024.
inline int workers_within(std::int64_t memory, std::int64_t bytes_per_worker) {
  constexpr std::int64_t most = 1024;
  return static_cast<int>(std::clamp<std::int64_t>(memory / bytes_per_worker, 1, most));
}

// memory_size(): a count of elements as a size in memory. Files and literals can exceed what
// memory can address, easily on 32-bit machines. Returns `count`. Throws std::bad_alloc if no
// memory can hold so many elements of `element` bytes.
inline std::size_t memory_size(std::int64_t count, std::size_t element = 1) {
  const auto bytes = checked_multiply(count, static_cast<std::int64_t>(element));
  if (!bytes || *bytes > std::numeric_limits<std::ptrdiff_t>::max()) throw std::bad_alloc();
  return static_cast<std::size_t>(count);
}

}  // namespace tscatter
