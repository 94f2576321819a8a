#include "tscatter/io/formats/onnx/protobuf.hpp"

#include <algorithm>
#include <array>

#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t window_size = std::int64_t{64} * 1024;
constexpr std::uint64_t last_number = (std::uint64_t{1} << 29) - 1;

std::string_view word_of(WireType type) {
  switch (type) {
    case WireType::varint: return "a varint";
    case WireType::fixed64: return "8 bytes";
    case WireType::bytes: return "bytes with a length";
    case WireType::fixed32: return "4 bytes";
  }
  unreachable();
}

WireType wire_type_of(std::uint64_t tag, std::int64_t at, const std::string& name) {
  constexpr std::uint64_t type_bits = 7;
  constexpr std::array known{WireType::varint, WireType::fixed64, WireType::bytes,
                             WireType::fixed32};
  const std::uint64_t type = tag & type_bits;
  const bool is_known = std::ranges::count(known, static_cast<WireType>(type)) > 0;
  // pb.f1
  if (!is_known) {
    fail(ErrorKind::format, "pb.f1", name,
         "a field must have wire type 0, 1, 2 or 5, got {}{} at byte {}", type,
         type == 3 || type == 4 ? ", a group," : "", at);
  }
  return static_cast<WireType>(type);
}

std::uint64_t number_of(std::uint64_t tag, std::int64_t at, const std::string& name) {
  constexpr int type_width = 3;
  const std::uint64_t number = tag >> type_width;
  // pb.f1
  if (number == 0 || number > last_number) {
    fail(ErrorKind::format, "pb.f1", name,
         "the number of a field must be in [1, 536870911], got {} at byte {}", number, at);
  }
  return number;
}

}  // namespace

ProtobufReader::ProtobufReader(const Source& file, ByteRange range, const std::string& name)
    : file_{file}, range_{range}, name_{name}, at_{range.begin} {}

std::optional<ProtobufField> ProtobufReader::next() {
  if (is_at_end()) return std::nullopt;
  ProtobufField field{.at = at_};
  const std::uint64_t tag = varint();
  field.type = wire_type_of(tag, field.at, name_);
  field.number = number_of(tag, field.at, name_);
  switch (field.type) {
    case WireType::varint: field.value = varint(); break;
    case WireType::fixed64: field.content = content(field.at, sizeof(std::uint64_t)); break;
    case WireType::bytes: field.content = content(field.at, varint()); break;
    case WireType::fixed32: field.content = content(field.at, sizeof(std::uint32_t)); break;
  }
  at_ = std::max(at_, field.content.end);
  return field;
}

ByteRange ProtobufReader::content(std::int64_t field, std::uint64_t size) {
  const std::int64_t left = range_.end - at_;
  // pb.f1
  if (size > static_cast<std::uint64_t>(left)) {
    fail(ErrorKind::format, "pb.f1", name_,
         "a field must end within its message, which has {} bytes left, got {} bytes for the field "
         "at byte {}",
         left, size, field);
  }
  return {.begin = at_, .end = at_ + static_cast<std::int64_t>(size)};
}

std::uint64_t ProtobufReader::varint() {
  constexpr int most_bytes = 10;
  constexpr unsigned bits = 7;
  constexpr std::uint64_t more = 0x80;
  const std::int64_t begin = at_;
  std::uint64_t value = 0;
  for (unsigned i = 0; i < most_bytes; ++i) {
    const std::uint64_t each = byte();
    const bool fits = i + 1 < most_bytes || each <= 1;
    if (!fits) break;
    value |= (each & (more - 1)) << (bits * i);
    if (each < more) return value;
  }
  // pb.f1
  fail(ErrorKind::format, "pb.f1", name_,
       "a varint must have at most 10 bytes and fit 64 bits, got a longer one at byte {}", begin);
}

std::uint64_t ProtobufReader::little_endian(std::size_t bytes) {
  constexpr unsigned bits = 8;
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= byte() << (bits * i);
  return value;
}

std::uint64_t ProtobufReader::byte() {
  // pb.f1
  if (at_ == range_.end) {
    fail(ErrorKind::format, "pb.f1", name_,
         "a field must end within its message, got the message's end at byte {}", at_);
  }
  if (at_ < held_.begin || at_ >= held_.end) {
    held_ = {.begin = at_, .end = std::min(at_ + window_size, range_.end)};
    window_.resize(static_cast<std::size_t>(held_.size()));
    file_.read(held_.begin, window_);
  }
  return std::to_integer<std::uint64_t>(window_[static_cast<std::size_t>(at_++ - held_.begin)]);
}

void require_protobuf_size(std::int64_t bytes, const std::string& name) {
  // pb.f9
  if (bytes > longest_protobuf) {
    fail(ErrorKind::format, "pb.f9", name, "an ONNX file must have at most {} bytes, got {}",
         longest_protobuf, bytes);
  }
}

void require_wire_type(const ProtobufField& field, WireType type, std::string_view what,
                       const std::string& name) {
  // pb.f2
  if (field.type != type) {
    fail(ErrorKind::format, "pb.f2", name, "{} must be {}, got {} at byte {}", what, word_of(type),
         word_of(field.type), field.at);
  }
}

std::string text_of_field(const Source& file, const ProtobufField& field, std::string_view what,
                          const std::string& name) {
  require_wire_type(field, WireType::bytes, what, name);
  // pb.f2
  if (field.content.size() > longest_text) {
    fail(ErrorKind::format, "pb.f2", name, "{} must be at most {} bytes long, got {} at byte {}",
         what, longest_text, field.content.size(), field.at);
  }
  std::string text(static_cast<std::size_t>(field.content.size()), '\0');
  file.read(field.content.begin, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace tscatter
