// xxh3(): 64-bit XXH3 with a seed, as fast as a cache is read. It detects damage, not malice. Not
// part of the installed interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tscatter {

std::uint64_t xxh3(std::uint64_t seed, std::span<const std::byte> bytes);

}  // namespace tscatter
