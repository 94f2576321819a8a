// checksum(): a 64-bit checksum that runs as fast as memory is read. It detects damage, not malice.
// Its values must not change: they are part of the names of temporary files, by which later runs
// find dead ones, and of version 1 of the undo journal (docs/journal.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tscatter {

// Detects every change within one word of 8 bytes, and all but one in 2^64 of the others.
std::uint64_t checksum(std::uint64_t seed, std::span<const std::byte> bytes);

// xxh3(): 64-bit XXH3 with a seed, as fast as a cache is read. It detects damage, not malice.
std::uint64_t xxh3(std::uint64_t seed, std::span<const std::byte> bytes);

}  // namespace tscatter
