// Moving elements of any dtype: by their size only, never by their meaning. Nothing here can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tscatter {

// Packs `count` elements of `size` bytes that lie `stride` elements apart, the first at `from`,
// into `into`.
void gather(std::byte* into, const std::byte* from, std::int64_t stride, std::int64_t count,
            std::size_t size);

// The other way: unpacks `count` elements to places `stride` elements apart, the first at `into`.
void spread(std::byte* into, std::int64_t stride, const std::byte* from, std::int64_t count,
            std::size_t size);

// Moves blocks of `size` bytes that lie one after another at `from`, each to its slot, in order:
// slot i begins i * size bytes behind `into`. Short on purpose: the processor then fetches the
// lines of several blocks at once.
template <class Slot>
void move_blocks(std::byte* into, std::span<const Slot> slots, const std::byte* from,
                 std::size_t size) {
  for (const Slot slot : slots) {
    std::memcpy(into + static_cast<std::size_t>(slot) * size, from, size);
    from += size;
  }
}

// Copies bytes past the caches, where the processor can: for long runs into memory so large that
// what is written would not stay in them, and would be read into them first.
void stream(std::byte* into, const std::byte* from, std::size_t size);

}  // namespace tscatter
