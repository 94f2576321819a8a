// Buffer: an uninitialised array in one allocation. A long one asks for huge pages, so that
// scattered writes do not wait for the page table.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace tscatter {

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
