// The wire format of protocol buffers: the fields of a message, one after another, in a range of a
// source. Nothing is allocated for what a length says. Rule: docs/formats.md, pb.f1.
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

}  // namespace tscatter
