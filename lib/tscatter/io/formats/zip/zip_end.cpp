
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/file_kinds.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/zip/zip_directory.hpp"
#include "tscatter/io/formats/zip/zip_format.hpp"

namespace tscatter::zip {
namespace {

End parse_end(std::span<const std::byte> record) {
  RecordReader reader(record);
  reader.u32();
  End end;
  end.disk = reader.u16();
  end.directory_disk = reader.u16();
  end.entries_here = reader.u16();
  end.entries = reader.u16();
  end.directory_size = reader.u32();
  end.directory_offset = reader.u32();
  end.comment = reader.text(reader.u16());
  return end;
}

// The last end record whose comment ends with the file.
End find_end(const Source& file, const std::string& name) {
  constexpr std::int64_t longest = end_size + 0xFFFF;
  const std::int64_t tail_size = std::min(file.size(), longest);
  const std::vector<std::byte> tail = bytes_at(file, file.size() - tail_size, tail_size);
  bool is_longer = false;
  for (std::int64_t at = tail_size - end_size; at >= 0; --at) {
    const auto record = std::span<const std::byte>(tail).subspan(static_cast<std::size_t>(at));
    if (RecordReader(record).u32() != end_signature) continue;
    const std::uint16_t comment_size = RecordReader(record.subspan(20)).u16();
    const std::int64_t after = tail_size - at - end_size;
    is_longer = is_longer || std::int64_t{comment_size} < after;
    if (std::int64_t{comment_size} != after) continue;
    End end = parse_end(record);
    end.position = file.size() - tail_size + at;
    return end;
  }
  const bool is_begun = npz_format.begins_as(bytes_at(file, 0, std::min(file.size(), end_size)));
  // npz.z1
  refuse("npz.z1", name, "a .npz file must end with the end record of a zip archive",
         file.size() == 0 ? "an empty file"
         : is_begun       ? is_longer ? "an archive with bytes after it" : "an archive that is cut"
                          : other_kind_in(file, npz_format, name).value_or("other bytes"));
}

bool agrees(std::uint64_t narrow, std::uint64_t wide, std::uint64_t left_to_zip64) {
  return narrow == left_to_zip64 || narrow == wide;
}

// REQUIRES: the signature and the size were read.
End parse_wide_end(RecordReader& record, std::int64_t position, const std::string& comment) {
  record.u32();  // versions
  return {.position = position,
          .disk = record.u32(),
          .directory_disk = record.u32(),
          .entries_here = record.u64(),
          .entries = record.u64(),
          .directory_size = record.u64(),
          .directory_offset = record.u64(),
          .comment = comment};
}

// Reads the zip64 end record, if there is one, into `end`. Returns its position as its locator
// gives it.
std::optional<std::uint64_t> read_zip64_end(const Source& file, const std::string& name, End& end) {
  const std::int64_t locator = end.position - zip64_locator_size;
  const std::int64_t position = locator - zip64_end_size;
  if (locator < 0) return std::nullopt;
  const auto locator_bytes = bytes_at(file, locator, zip64_locator_size);
  RecordReader located(locator_bytes);
  if (located.u32() != zip64_locator_signature) return std::nullopt;
  const std::uint32_t disk = located.u32();
  const std::uint64_t offset = located.u64();
  const std::uint32_t disks = located.u32();
  // npz.z2
  if (disk != 0 || disks > 1) refuse("npz.z2", name, "an archive must be in one piece", "several");
  // npz.z3
  if (position < 0) {
    refuse("npz.z3", name, "the zip64 end record must stand before its locator", "no place for it");
  }
  const auto bytes = bytes_at(file, position, zip64_end_size);
  RecordReader record(bytes);
  const bool is_there = record.u32() == zip64_end_signature &&
                        record.u64() == static_cast<std::uint64_t>(zip64_end_size) - 12;
  // npz.z3
  if (!is_there) {
    refuse("npz.z3", name, "the zip64 end record must stand before its locator", "other bytes");
  }
  End wide = parse_wide_end(record, position, end.comment);
  // npz.z3
  if (!agrees(end.entries, wide.entries, in_zip64_16) ||
      !agrees(end.entries_here, wide.entries_here, in_zip64_16) ||
      !agrees(end.directory_size, wide.directory_size, in_zip64_32) ||
      !agrees(end.directory_offset, wide.directory_offset, in_zip64_32)) {
    refuse("npz.z3", name, "the zip64 end record must agree with the end record", "other figures");
  }
  end = std::move(wide);
  return offset;
}

// Where the archive begins in the file: after a self-extracting program, if there is one.
std::int64_t directory_prefix(const End& end, const std::string& name) {
  const auto position = static_cast<std::uint64_t>(end.position);
  // npz.z2
  if (end.disk != 0 || end.directory_disk != 0 || end.entries_here != end.entries)
    refuse("npz.z2", name, "an archive must be in one piece", "several");
  // npz.z4
  if (end.directory_size > static_cast<std::uint64_t>(max_zip_directory)) {
    refuse("npz.z4", name, "the directory must be at most 8388608 bytes long",
           fmt::format("{}", end.directory_size));
  }
  // npz.z4
  if (end.directory_size > position || end.directory_offset > position - end.directory_size) {
    refuse("npz.z4", name, "the directory must lie inside the file",
           fmt::format("{} bytes at {}", end.directory_size, end.directory_offset));
  }
  // npz.z5
  if (end.entries > end.directory_size / static_cast<std::uint64_t>(record_size)) {
    refuse("npz.z5", name, "the directory must have a whole record for each member",
           fmt::format("{} bytes for {}", end.directory_size, end.entries));
  }
  return static_cast<std::int64_t>(position - end.directory_size - end.directory_offset);
}

}  // namespace

std::vector<std::byte> bytes_at(const Source& file, std::int64_t offset, std::int64_t size) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  file.read(offset, bytes);
  return bytes;
}

void refuse(std::string_view label, const std::string& name, std::string_view rule,
            std::string_view got) {
  fail(ErrorKind::format, label, name, "{}, got {}", rule, got);
}

End read_end(const Source& file, const std::string& name) {
  End end = find_end(file, name);
  const auto located = read_zip64_end(file, name, end);
  end.prefix = directory_prefix(end, name);
  const auto prefix = static_cast<std::uint64_t>(end.prefix);
  // npz.z3
  if (located && *located + prefix != static_cast<std::uint64_t>(end.position)) {
    refuse("npz.z3", name, "the locator must say where the zip64 end record is",
           fmt::format("byte {}", *located));
  }
  return end;
}

}  // namespace tscatter::zip
