// The records of a zip archive to be written: members are stored, and may have any size and offset.
// The same members give the same bytes. Not part of the installed interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tscatter::zip {

// A stored member.
struct StoredMember {
  std::string name;         // UTF-8
  std::int64_t offset = 0;  // of its local header
  std::int64_t size = 0;    // bytes
  std::uint32_t crc = 0;
};

// The local header, padded so that the member's bytes begin at a multiple of 64. Its length does
// not depend on the checksum.
std::string local_header(const StoredMember& member);

std::string directory_record(const StoredMember& member);

// The record that `old` becomes when its local header moves to `offset`. REQUIRES: `old` is a whole
// record, as read_zip_directory accepts it.
std::string moved_record(std::span<const std::byte> old, std::int64_t offset);

// What follows the directory's records: the end record, after a zip64 one where the numbers need
// it.
std::string end_records(std::int64_t directory_offset, std::int64_t directory_size,
                        std::uint64_t entries, std::string_view comment);

}  // namespace tscatter::zip
