// prefetch: asks for memory that is read soon. Not part of the installed interface.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tscatter {

// Each cache line that some of the bytes are in: arrays of NumPy begin 16 bytes behind one.
inline void prefetch(const std::byte* first, std::int64_t bytes) {
  constexpr std::uintptr_t line = 64;
  const std::byte* const end = first + bytes;
  for (first -= std::bit_cast<std::uintptr_t>(first) % line; first < end; first += line)
    __builtin_prefetch(first);
}

}  // namespace tscatter
