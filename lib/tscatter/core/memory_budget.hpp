// How the memory limit that users rely on, 64 MiB plus 32 bytes per index entry, is shared out. Not
// part of the installed interface.
#pragma once

#include <algorithm>
#include <cstdint>

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

}  // namespace tscatter
