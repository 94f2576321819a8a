// Moves elements of any dtype, knowing only their size. Nothing here can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tscatter {

// Packs `count` elements of `size` bytes that are `stride` elements apart, the first at `from`,
// into `into`.
void gather(std::byte* into, const std::byte* from, std::int64_t stride, std::int64_t count,
            std::size_t size);

// Fills `into` with the element, whose bytes begin with the one of number `phase`. REQUIRES: phase
// is less than its size.
void repeat(std::span<const std::byte> element, std::span<std::byte> into, std::size_t phase = 0);

// The other way: unpacks `count` elements to places `stride` elements apart, the first at `into`.
void spread(std::byte* into, std::int64_t stride, const std::byte* from, std::int64_t count,
            std::size_t size);

// Rows of bytes; each begins `stride` bytes after the one before.
struct ConstRows {
  const std::byte* first = nullptr;
  std::int64_t stride = 0;
};
struct Rows {
  std::byte* first = nullptr;
  std::int64_t stride = 0;
};

// Copies rows of `bytes` bytes each.
void copy_rows(Rows into, ConstRows from, std::int64_t rows, std::int64_t bytes);

// Copies element i if marks[i] is not 0, for each of `count` packed elements. REQUIRES: `size` is
// 1, 2, 4, 8 or 16.
void copy_marked(std::byte* into, const std::byte* from, const std::uint32_t* marks,
                 std::int64_t count, std::size_t size);

// Copies packed elements of `size` bytes from `from`, `count` of them, to where the mask is true,
// in order. REQUIRES: it is true as often.
void place_where(std::byte* into, std::span<const std::byte> mask, const std::byte* from,
                 std::int64_t count, std::size_t size);

// Copies consecutive blocks of `size` bytes from `from`, each to its destination, in order:
// destination i is at into + i * size. The lines of a block's ends are fetched while the blocks
// before it are copied: destinations lie anywhere.
template <class Destination>
void move_blocks(std::byte* into, std::span<const Destination> destinations, const std::byte* from,
                 std::size_t size) {
  constexpr std::size_t ahead = 32;  // blocks
  const auto place = [&](std::size_t i) {
    return into + static_cast<std::size_t>(destinations[i]) * size;
  };
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    if (i + ahead < destinations.size()) {
      __builtin_prefetch(place(i + ahead));
      __builtin_prefetch(place(i + ahead) + size - 1);
    }
    std::memcpy(place(i), from + i * size, size);
  }
}

// Copies bytes past the caches, where the processor can: for long runs into memory too large to
// stay in them, which an ordinary store would first read into them. The first page from `next` on,
// where the next call will read, is fetched meanwhile: runs come from anywhere.
void stream(std::byte* into, const std::byte* from, std::size_t size, const std::byte* next);

// Until this, another thread may not see what stream() copied.
void finish_streams();

}  // namespace tscatter
