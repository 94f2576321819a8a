// checksum(): 64 bits that change with every change of the bytes, as fast as memory is read. For
// damage, not for malice. Its values are part of the names of temporary files, whose dead siblings
// are looked for, and of version 1 of the undo journal (docs/journal.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tscatter {

// Any change within one word of 8 bytes is seen for certain; others but for one in 2^64.
std::uint64_t checksum(std::uint64_t seed, std::span<const std::byte> bytes);

}  // namespace tscatter
