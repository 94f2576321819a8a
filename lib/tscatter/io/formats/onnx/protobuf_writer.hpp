// Messages of protocol buffers, written field by field as Google's library writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tscatter {

class ProtobufWriter {
 public:
  void varint(std::uint64_t number, std::uint64_t value) {
    append(number << 3U);
    append(value);
  }
  void integer(std::uint64_t number, std::int64_t value) {
    varint(number, static_cast<std::uint64_t>(value));
  }
  void fixed32(std::uint64_t number, std::uint32_t value) {
    constexpr int bytes = 4;
    append(number << 3U | 5U);
    for (unsigned i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFFU);
  }
  void text(std::uint64_t number, std::string_view content) {
    begin_bytes(number, content.size());
    bytes_ += content;
  }
  void message(std::uint64_t number, const ProtobufWriter& content) {
    text(number, content.bytes_);
  }
  // So many bytes must follow.
  void begin_bytes(std::uint64_t number, std::uint64_t size) {
    append(number << 3U | 2U);
    append(size);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void append(std::uint64_t value) {
    constexpr std::uint64_t more = 0x80;
    for (; value >= more; value >>= 7U) bytes_ += static_cast<char>((value & (more - 1)) | more);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace tscatter
