#define XXH_INLINE_ALL  // nothing to link
#include <xxhash.h>

#include "tscatter/io/files/checksum.hpp"

namespace tscatter {

std::uint64_t xxh3(std::uint64_t seed, std::span<const std::byte> bytes) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace tscatter
