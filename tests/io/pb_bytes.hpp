// Messages of protocol buffers for the tests of .pb files and models, put together byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tscatter {

inline std::string pb_varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 0x7F; value /= 128) bytes += static_cast<char>(value % 128 + 128);
  return bytes + static_cast<char>(value);
}

inline std::string pb_integer(std::uint64_t number, std::int64_t value) {
  return pb_varint(number * 8) + pb_varint(static_cast<std::uint64_t>(value));
}

inline std::string pb_text(std::uint64_t number, std::string_view content) {
  return pb_varint(number * 8 + 2) + pb_varint(content.size()) + std::string(content);
}

}  // namespace tscatter
