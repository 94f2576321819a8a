// Memory for the operands of a benchmark.
#pragma once

#include <sys/mman.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace bench {

struct Free {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};

// Memory as NumPy allocates it: for large arrays in huge pages if the system has them, and 16 bytes
// behind a page boundary.
class Memory {
 public:
  explicit Memory(std::size_t size)
      : size_{size}, bytes_{static_cast<std::byte*>(std::malloc(size))} {
    constexpr std::size_t large = std::size_t{4} * 1024 * 1024;
    constexpr std::size_t page = 4096;
    if (bytes_ == nullptr) throw std::bad_alloc();
    const std::size_t first = page - std::bit_cast<std::uintptr_t>(bytes_.get()) % page;
    if (size >= large) madvise(bytes_.get() + first, size - first, MADV_HUGEPAGE);
  }

  std::span<std::byte> span() { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte, Free> bytes_;
};

}  // namespace bench
