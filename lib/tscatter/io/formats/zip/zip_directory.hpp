// ZipDirectory: what a zip archive holds and where, read from its central directory. All ways to be
// wrong: docs/formats.md, npz.z1 to npz.z11.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter {

enum class ZipMethod : std::uint16_t { stored = 0, deflated = 8 };

struct ZipEntry {
  std::string name;  // UTF-8
  ZipMethod method = ZipMethod::stored;
  std::uint16_t flags = 0;
  std::uint32_t crc = 0;
  std::int64_t packed_size = 0;  // bytes in the archive
  std::int64_t size = 0;         // bytes of the member
  std::int64_t offset = 0;       // of its local header
  std::int64_t end = 0;          // where the next entry, or the directory, begins
  std::int64_t record = 0;       // where its record of the directory begins
  std::int64_t record_size = 0;
};

struct ZipDirectory {
  std::vector<ZipEntry> entries;  // in the directory's order
  std::int64_t begin = 0;         // of the directory's records
  std::int64_t size = 0;          // of the directory's records
  std::string comment;

  // The last of this name, as NumPy reads it; nullptr if there is none.
  const ZipEntry* find(std::string_view name) const;
};

// The longest directory that is read, which bounds the memory for it.
inline constexpr std::int64_t max_zip_directory = std::int64_t{8} << 20;

// Python that writes an archive anew: members are stored, and only the last of each name is kept.
inline constexpr std::string_view npz_written_anew = "numpy.savez(FILE, **dict(numpy.load(FILE)))";

// Whether a file that begins with these bytes is a zip archive.
bool begins_as_zip(std::span<const std::byte> first_bytes);

// `name` is used in messages. Throws Error (format, npz.z1 to npz.z6, npz.z9, npz.z11).
ZipDirectory read_zip_directory(const Source& file, const std::string& name);

// Where an entry's bytes begin: after its local header, which must agree with the directory. `name`
// is used in messages. Throws Error (format, npz.z7 to npz.z11).
std::int64_t packed_offset(const Source& file, const ZipEntry& entry, const std::string& name);

std::span<const Rule> npz_rules();

}  // namespace tscatter

// The records that end the archive.
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
