// The wire format of protocol buffers, read and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter {

// ---- The wire format of protocol buffers: the fields of a message, one after another, in a range
// of a source. Nothing is allocated for what a length says. Rule: docs/formats.md, pb.f1.

// Protocol buffers have no longer ones.
inline constexpr std::int64_t longest_protobuf = (std::int64_t{1} << 31) - 1;

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct ProtobufField {
  std::int64_t at = 0;  // its first byte in the file, for messages
  std::uint64_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t value = 0;  // of a varint
  ByteRange content = {};   // of any other type
};

class ProtobufReader {
 public:
  // REQUIRES: `range` is within the file; both outlive the reader. `name` is the file's, for
  // messages.
  ProtobufReader(const Source& file, ByteRange range, const std::string& name);

  // The next field, its content passed over; nullopt at the end. Throws Error (format, pb.f1).
  std::optional<ProtobufField> next();

  // The next varint or bytes of a packed field. Throws Error (format, pb.f1) at the end.
  std::uint64_t varint();
  std::uint64_t little_endian(std::size_t bytes);  // at most 8

  bool is_at_end() const { return at_ == range_.end; }
  std::int64_t at() const { return at_; }  // in the file

 private:
  std::uint64_t byte();
  ByteRange content(std::int64_t field, std::uint64_t size);

  const Source& file_;
  ByteRange range_;
  const std::string& name_;
  std::int64_t at_;
  std::vector<std::byte> window_;
  ByteRange held_ = {};  // in the window
};

// Throws Error (format, pb.f9) for a file that is longer than protocol buffers are.
void require_protobuf_size(std::int64_t bytes, const std::string& name);

// Throws Error (format, pb.f2) unless the field has this wire type. `what` is its name.
void require_wire_type(const ProtobufField& field, WireType type, std::string_view what,
                       const std::string& name);

inline constexpr std::int64_t longest_text = 1024;  // bytes

// The content of a field of text. Throws Error (format, pb.f2).
std::string text_of_field(const Source& file, const ProtobufField& field, std::string_view what,
                          const std::string& name);

// ---- Messages of protocol buffers, written field by field as Google's library writes them.

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
