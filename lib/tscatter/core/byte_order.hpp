// Elements in a given byte order and at any alignment, and the words of files, which are
// little-endian.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tscatter/core/tensor.hpp"

namespace tscatter {

// ---- Brings elements into a given byte order.

// Reverses the bytes of each word. REQUIRES: `bytes` is a whole number of words; word is 1, 2, 4
// or 8.
void reverse_words(std::span<std::byte> bytes, std::size_t word);

// Converts from the type's byte order to `order`. Opaque elements stay as they are.
void turn_elements(std::span<std::byte> elements, const ElementType& type,
                   std::endian order = std::endian::native);

// Fills `into` with the elements from number `first` on, in the order of the file. Throws Error
// (file).
void read_elements(const Tensor& tensor, std::int64_t first, std::span<std::byte> into,
                   std::endian order = std::endian::native);

// ---- Elements that lie one after the other, at any alignment.

template <class T, std::integral Index>
T load(const std::byte* elements, Index i) {
  T value;
  std::memcpy(&value, elements + i * static_cast<Index>(sizeof(T)), sizeof(T));
  return value;
}

template <class T, std::integral Index>
void store(T value, std::byte* elements, Index i) {
  std::memcpy(elements + i * static_cast<Index>(sizeof(T)), &value, sizeof(T));
}

// prefetch: asks for memory that is read soon. Each cache line that some of the bytes are in:
// arrays of NumPy begin 16 bytes behind one.
inline void prefetch(const std::byte* first, std::int64_t bytes) {
  constexpr std::uintptr_t line = 64;
  const std::byte* const end = first + bytes;
  for (first -= std::bit_cast<std::uintptr_t>(first) % line; first < end; first += line)
    __builtin_prefetch(first);
}

// The same for what is written some time later: into the second cache, so that the first keeps what
// is used now.
inline void prefetch_far(const std::byte* first, std::int64_t bytes) {
  constexpr std::int64_t line = 64;
  for (std::int64_t at = 0; at < bytes; at += line) __builtin_prefetch(first + at, 1, 2);
}

// ---- The 8-byte words of files, which are little-endian on every machine.

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
