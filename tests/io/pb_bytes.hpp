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

// An entry of external_data.
inline std::string pb_external(std::string_view key, std::string_view value) {
  return pb_text(13, pb_text(1, key) + pb_text(2, value));
}

// A TensorProto of so many UINT8, whose values are in another file.
inline std::string pb_elsewhere(std::int64_t count, std::string_view location,
                                std::string_view offset = "0") {
  return pb_integer(1, count) + pb_integer(2, 2) + pb_external("location", location) +
         pb_external("offset", offset) + pb_integer(14, 1);
}

// A ModelProto whose graph has these fields.
inline std::string pb_model(std::string_view graph) {
  return pb_integer(1, 10) + pb_text(7, graph) + pb_text(8, pb_integer(2, 18));
}

// A field of the graph: an initializer.
inline std::string pb_initializer(std::string_view name, std::string_view tensor) {
  return pb_text(5, std::string(tensor) + pb_text(8, name));
}

}  // namespace tscatter
