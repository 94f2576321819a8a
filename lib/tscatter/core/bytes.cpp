#include "tscatter/core/bytes.hpp"

#include <algorithm>

namespace tscatter {

void SpanSource::read(std::int64_t offset, std::span<std::byte> into) const {
  std::ranges::copy(bytes_.subspan(static_cast<std::size_t>(offset), into.size()), into.begin());
}

void SpanSink::write(std::int64_t offset, std::span<const std::byte> bytes) {
  std::ranges::copy(bytes, bytes_.subspan(static_cast<std::size_t>(offset), bytes.size()).begin());
}

}  // namespace tscatter
