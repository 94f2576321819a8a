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

// The other way: unpacks `count` elements to places `stride` elements apart, the first at `into`.
void spread(std::byte* into, std::int64_t stride, const std::byte* from, std::int64_t count,
            std::size_t size);

// Rows of bytes, each of which begins `stride` bytes after the one before.
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

// Copies those of `count` packed elements whose mark is not 0. REQUIRES: `size` is 1, 2, 4, 8
// or 16.
void copy_marked(std::byte* into, const std::byte* from, const std::uint32_t* marks,
                 std::int64_t count, std::size_t size);

// Copies consecutive blocks of `size` bytes from `from`, each to its destination, in order:
// destination i is at into + i * size. Short on purpose: the processor then fetches the lines of
// several blocks at once.
template <class Destination>
void move_blocks(std::byte* into, std::span<const Destination> destinations, const std::byte* from,
                 std::size_t size) {
  for (const Destination destination : destinations) {
    std::memcpy(into + static_cast<std::size_t>(destination) * size, from, size);
    from += size;
  }
}

// Copies bytes past the caches, where the processor can: for long runs into memory too large to
// stay in them, which an ordinary store would first read into them. The first page from `next` on,
// where the next call will read, is fetched meanwhile: runs come from anywhere.
void stream(std::byte* into, const std::byte* from, std::size_t size, const std::byte* next);

// Until this, another thread may not see what stream() copied.
void finish_streams();

}  // namespace tscatter
