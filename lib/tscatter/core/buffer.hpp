// Buffer: an uninitialised array in one allocation. A long one asks for huge pages, so that
// scattered writes do not wait for the page table. Not part of the installed interface.
#pragma once

#include <sys/mman.h>

#include <cstddef>
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

  // Keeps the first `size` elements only.
  void shrink(std::size_t size) { size_ = size; }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20U;
  static constexpr std::align_val_t page{4096};

  struct Free {
    void operator()(T* elements) const { ::operator delete(elements, page); }
  };

  static T* allocate(std::size_t size) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(size, sizeof(T), &bytes)) throw std::bad_array_new_length();
    void* memory = ::operator new(bytes, page);
    if (bytes >= 2 * huge_page) ::madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }

  std::unique_ptr<T, Free> elements_;
  std::size_t size_ = 0;
};

}  // namespace tscatter
