// memory_size(): a count of elements as a size in memory. Files and literals can exceed what memory
// can address, easily on 32-bit machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

#include "tscatter/core/checked.hpp"

namespace tscatter {

// Returns `count`. Throws std::bad_alloc if no memory can hold so many elements of `element` bytes.
inline std::size_t memory_size(std::int64_t count, std::size_t element = 1) {
  const auto bytes = checked_multiply(count, static_cast<std::int64_t>(element));
  if (!bytes || *bytes > std::numeric_limits<std::ptrdiff_t>::max()) throw std::bad_alloc();
  return static_cast<std::size_t>(count);
}

}  // namespace tscatter
