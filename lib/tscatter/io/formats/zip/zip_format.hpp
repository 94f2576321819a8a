// The bytes of a zip archive's records, as PKWARE's APPNOTE.TXT 6.3 lays them out: little-endian
// numbers at fixed places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tscatter/io/formats/zip/zip_directory.hpp"

namespace tscatter::zip {

inline constexpr std::uint32_t local_signature = 0x04034b50;
inline constexpr std::uint32_t directory_signature = 0x02014b50;
inline constexpr std::uint32_t end_signature = 0x06054b50;
inline constexpr std::uint32_t zip64_end_signature = 0x06064b50;
inline constexpr std::uint32_t zip64_locator_signature = 0x07064b50;

// Sizes without names, extra fields and comments.
inline constexpr std::int64_t local_size = 30;
inline constexpr std::int64_t record_size = 46;  // of the directory
inline constexpr std::int64_t end_size = 22;
inline constexpr std::int64_t zip64_end_size = 56;
inline constexpr std::int64_t zip64_locator_size = 20;

inline constexpr std::uint16_t zip64_field = 0x0001;
inline constexpr std::uint16_t padding_field = 0xd935;  // as zipalign of Android writes it

inline constexpr std::uint16_t is_encrypted = 1U << 0U;
inline constexpr std::uint16_t has_descriptor = 1U << 3U;
inline constexpr std::uint16_t is_strongly_encrypted = 1U << 6U;
inline constexpr std::uint16_t has_utf8_name = 1U << 11U;
inline constexpr std::uint16_t is_masked = 1U << 13U;

inline constexpr std::uint16_t in_zip64_16 = 0xffff;  // the number stands in a zip64 record
inline constexpr std::uint32_t in_zip64_32 = 0xffffffff;

// Reads numbers from the front of a record. REQUIRES: the bytes are there.
class RecordReader {
 public:
  explicit RecordReader(std::span<const std::byte> bytes) : bytes_{bytes} {}

  std::size_t left() const { return bytes_.size(); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  std::span<const std::byte> bytes(std::size_t count) {
    const auto front = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return front;
  }
  std::string_view text(std::size_t count) {
    const auto front = bytes(count);
    return {reinterpret_cast<const char*>(front.data()), front.size()};
  }

 private:
  std::uint64_t number(std::size_t count) {
    const auto front = bytes(count);
    std::uint64_t value = 0;
    for (std::size_t i = count; i-- > 0;)
      value = value << 8U | std::to_integer<std::uint64_t>(front[i]);
    return value;
  }

  std::span<const std::byte> bytes_;
};

// Appends numbers to a record.
class RecordWriter {
 public:
  RecordWriter& u16(std::uint64_t value) { return number(value, 2); }
  RecordWriter& u32(std::uint64_t value) { return number(value, 4); }
  RecordWriter& u64(std::uint64_t value) { return number(value, 8); }
  RecordWriter& text(std::string_view text) {
    text_ += text;
    return *this;
  }

  const std::string& record() const { return text_; }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(text_)); }
  std::int64_t size() const { return static_cast<std::int64_t>(text_.size()); }

 private:
  RecordWriter& number(std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) text_ += static_cast<char>(value >> (8 * i) & 0xFFU);
    return *this;
  }

  std::string text_;
};

// ---- The records of a zip archive to be written: members are stored or deflated, and may have any
// size and offset. The same members give the same bytes.

struct WrittenMember {
  std::string name;  // UTF-8
  ZipMethod method = ZipMethod::stored;
  std::int64_t offset = 0;       // of its local header
  std::int64_t size = 0;         // bytes
  std::int64_t packed_size = 0;  // bytes in the archive
  std::uint32_t crc = 0;
};

// The local header; of a stored member padded so that its bytes begin at a multiple of 64. Its
// length depends neither on the checksum nor on the sizes.
std::string local_header(const WrittenMember& member);

std::string directory_record(const WrittenMember& member);

// The record that `old` becomes when its local header moves to `offset`. REQUIRES: `old` is a whole
// record, as read_zip_directory accepts it.
std::string moved_record(std::span<const std::byte> old, std::int64_t offset);

// What follows the directory's records: the end record, after a zip64 one where the numbers need
// it.
std::string end_records(std::int64_t directory_offset, std::int64_t directory_size,
                        std::uint64_t entries, std::string_view comment);

}  // namespace tscatter::zip
