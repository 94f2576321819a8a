// The records that end a zip archive: where its directory is. Not part of the installed interface.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/bytes.hpp"

namespace tscatter::zip {

// The end record, with the numbers of a zip64 end record if there is one.
struct End {
  std::int64_t position = 0;  // of the first of the records that end the archive
  std::uint64_t disk = 0;
  std::uint64_t directory_disk = 0;
  std::uint64_t entries_here = 0;
  std::uint64_t entries = 0;
  std::uint64_t directory_size = 0;
  std::uint64_t directory_offset = 0;
  std::string comment;
  std::int64_t prefix = 0;  // where the archive begins in the file
};

// `name` is used in messages. Throws Error (format, npz.z1 to npz.z5). The directory lies before
// the end, within the file, and is long enough for its entries.
End read_end(const Source& file, const std::string& name);

// For all that reads an archive's records.
std::vector<std::byte> bytes_at(const Source& file, std::int64_t offset, std::int64_t size);
[[noreturn]] void refuse(std::string_view label, const std::string& name, std::string_view rule,
                         std::string_view got);

}  // namespace tscatter::zip
