// The 8-byte words of files, which are little-endian on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tscatter {

inline std::uint64_t load_little_endian(const std::byte* bytes) {
  std::array<std::byte, sizeof(std::uint64_t)> word{};
  std::memcpy(word.data(), bytes, word.size());
  if constexpr (std::endian::native == std::endian::big) std::reverse(word.begin(), word.end());
  return std::bit_cast<std::uint64_t>(word);
}

inline void store_little_endian(std::uint64_t value, std::byte* bytes) {
  auto word = std::bit_cast<std::array<std::byte, sizeof value>>(value);
  if constexpr (std::endian::native == std::endian::big) std::reverse(word.begin(), word.end());
  std::memcpy(bytes, word.data(), word.size());
}

}  // namespace tscatter
