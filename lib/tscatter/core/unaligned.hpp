// Elements that lie one after the other, at any alignment.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tscatter {

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

}  // namespace tscatter
