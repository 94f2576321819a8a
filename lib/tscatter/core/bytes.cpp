#include "tscatter/core/bytes.hpp"

#include <algorithm>

namespace tscatter {

// By pointers: GCC 12 makes a loop of a copy between spans, where it could call memmove().
void read_memory(std::span<const std::byte> bytes, std::int64_t offset, std::span<std::byte> into) {
  std::copy_n(bytes.subspan(static_cast<std::size_t>(offset)).data(), into.size(), into.data());
}

void SpanSink::write(std::int64_t offset, std::span<const std::byte> bytes) {
  std::copy_n(bytes.data(), bytes.size(), bytes_.subspan(static_cast<std::size_t>(offset)).data());
}

}  // namespace tscatter
