// The records of a zip archive to be written: members are stored or deflated, and may have any size
// and offset. The same members give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tscatter/io/formats/zip/zip_directory.hpp"

namespace tscatter::zip {

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
