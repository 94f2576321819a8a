// Bytes that are passed on as they are read, in pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"

namespace tscatter {

// take(offset, bytes) is called for each piece of the range, in order. Throws Error (file), and
// Cancelled when *stop becomes true.
template <class Take>
void read_pieces(const Source& source, ByteRange range, StopFlag stop, const Take& take) {
  constexpr std::int64_t piece = std::int64_t{512} * 1024;  // bytes
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(piece, range.size())));
  for (std::int64_t at = range.begin; at < range.end; at += piece) {
    check_stop(stop);
    const auto bytes =
        std::span(buffer).first(static_cast<std::size_t>(std::min(piece, range.end - at)));
    source.read(at, bytes);
    take(at, std::span<const std::byte>(bytes));
  }
}

// All of it.
template <class Take>
void read_pieces(const Source& source, StopFlag stop, const Take& take) {
  read_pieces(source, {.begin = 0, .end = source.size()}, stop, take);
}

}  // namespace tscatter
