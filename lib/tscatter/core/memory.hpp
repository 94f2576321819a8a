// Memory: how the limit that users rely on is shared, and Buffer, an array that is not initialised.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "tscatter/core/checked.hpp"

namespace tscatter {

// ---- How the memory limit that users rely on, 64 MiB plus 32 bytes per index entry, is shared
// out; and sizes in memory.

inline constexpr std::int64_t mebibyte = std::int64_t{1} << 20U;

inline constexpr std::int64_t tile_memory = 48 * mebibyte;     // all tiles of a run, or of a verify
inline constexpr std::int64_t run_memory = 64 * mebibyte;      // of a run, beside its index entries
inline constexpr std::int64_t compare_memory = 40 * mebibyte;  // all that its workers hold

// How many workers with so many bytes each the memory allows: from 1 to 1024.
inline int workers_within(std::int64_t memory, std::int64_t bytes_per_worker) {
  constexpr std::int64_t most = 1024;
  return static_cast<int>(std::clamp<std::int64_t>(memory / bytes_per_worker, 1, most));
}

// memory_size(): a count of elements as a size in memory. Files and literals can exceed what
// memory can address, easily on 32-bit machines. Returns `count`. Throws std::bad_alloc if no
// memory can hold so many elements of `element` bytes.
inline std::size_t memory_size(std::int64_t count, std::size_t element = 1) {
  const auto bytes = checked_multiply(count, static_cast<std::int64_t>(element));
  if (!bytes || *bytes > std::numeric_limits<std::ptrdiff_t>::max()) throw std::bad_alloc();
  return static_cast<std::size_t>(count);
}

// ---- Buffer: an uninitialised array in one allocation. A long one asks for huge pages, so that
// scattered writes do not wait for the page table.

template <class T>
class Buffer {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  Buffer() = default;
  // Throws std::bad_alloc.
  explicit Buffer(std::size_t size) : elements_{allocate(size)}, size_{size} {}

  std::size_t size() const { return size_; }
  std::span<T> span() { return {elements_.get(), size_}; }
  std::span<const T> span() const { return {elements_.get(), size_}; }
  T* data() { return elements_.get(); }
  const T* data() const { return elements_.get(); }

  // Room for so many elements. What it held may be lost.
  std::span<T> room(std::size_t size) {
    if (size_ < size) *this = Buffer(size);
    return span().first(size);
  }
  // Keeps the first `size` elements only.
  void shrink(std::size_t size) { size_ = size; }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20U;
  static constexpr std::size_t page = 4096;

  struct Free {
    void* block = nullptr;
    void operator()(T*) const { std::free(block); }
  };

  static std::unique_ptr<T, Free> allocate(std::size_t size) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(size, sizeof(T), &bytes)) throw std::bad_array_new_length();
    void* memory = nullptr;
    if (bytes < 2 * huge_page) {
      if (::posix_memalign(&memory, page, bytes) != 0) throw std::bad_alloc();
      return {static_cast<T*>(memory), Free{memory}};
    }
    // Aligned by hand: the C library keeps a freed block for the next of its length, but not one
    // that it has aligned itself.
    std::size_t room = 0;
    if (__builtin_add_overflow(bytes, huge_page, &room)) throw std::bad_alloc();
    void* const block = std::malloc(room);
    if (block == nullptr) throw std::bad_alloc();
    memory = block;
    std::align(huge_page, bytes, memory, room);
    ::madvise(memory, bytes, MADV_HUGEPAGE);
    return {static_cast<T*>(memory), Free{block}};
  }

  std::unique_ptr<T, Free> elements_;
  std::size_t size_ = 0;
};

}  // namespace tscatter
