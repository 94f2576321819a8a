#include <algorithm>

#include "tscatter/io/formats/zip/zip_format.hpp"

namespace tscatter::zip {
namespace {

constexpr std::int64_t alignment = 64;  // of a member's bytes, as of data in a .npy

// As NumPy writes it: made on Unix, version 4.5, 1980-01-01 0:00, mode 0600.
constexpr unsigned version = 45;
constexpr unsigned made_by_unix = 3U << 8U | version;
constexpr unsigned first_date = 1U << 5U | 1U;
constexpr unsigned mode = 0600U << 16U;

constexpr std::size_t longest_extra = 0xFFFF;

std::uint64_t unsigned_of(std::int64_t number) { return static_cast<std::uint64_t>(number); }

bool is_wide(std::int64_t number) { return unsigned_of(number) >= in_zip64_32; }

std::uint64_t narrowed(std::int64_t number) {
  return is_wide(number) ? in_zip64_32 : unsigned_of(number);
}

std::uint64_t value_of_method(ZipMethod method) { return static_cast<std::uint64_t>(method); }

unsigned flags_of(std::string_view name) {
  const bool is_ascii =
      std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  return is_ascii ? 0U : unsigned{has_utf8_name};
}

// An extra field that ends at a multiple of 64 when it begins at `position`.
std::string padding(std::int64_t position) {
  constexpr std::int64_t front = 6;
  if (position % alignment == 0) return {};
  const std::int64_t zeros = (alignment - (position + front) % alignment) % alignment;
  RecordWriter field;
  field.u16(padding_field).u16(unsigned_of(zeros) + 2).u16(unsigned_of(alignment));
  return field.record() + std::string(static_cast<std::size_t>(zeros), '\0');
}

// The parts of a directory record.
struct OldRecord {
  std::string_view front;  // signature and version made by
  std::uint16_t version_needed;
  std::string_view middle;  // flags, method, time, checksum
  std::uint32_t packed_size;
  std::uint32_t size;
  std::string_view attributes;
  std::string_view name;
  std::span<const std::byte> extra;
  std::string_view comment;
};

OldRecord take_apart(std::span<const std::byte> bytes) {
  RecordReader reader(bytes);
  OldRecord old{};
  old.front = reader.text(6);
  old.version_needed = reader.u16();
  old.middle = reader.text(12);
  old.packed_size = reader.u32();
  old.size = reader.u32();
  const std::size_t name_size = reader.u16();
  const std::size_t extra_size = reader.u16();
  const std::size_t comment_size = reader.u16();
  reader.u16();  // disk
  old.attributes = reader.text(6);
  reader.u32();  // offset
  old.name = reader.text(name_size);
  old.extra = reader.bytes(extra_size);
  old.comment = reader.text(comment_size);
  return old;
}

// The extra fields of a record whose offset may have become wide, or narrow again.
std::string moved_extra(const OldRecord& old, std::int64_t offset) {
  const std::size_t wide_sizes =
      (old.size == in_zip64_32 ? 8U : 0U) + (old.packed_size == in_zip64_32 ? 8U : 0U);
  RecordWriter wide;
  RecordWriter others;
  RecordReader fields(old.extra);
  bool has_wide = false;
  while (fields.left() >= 4) {
    const std::uint16_t number = fields.u16();
    const std::size_t size = std::min<std::size_t>(fields.u16(), fields.left());
    const std::string_view content = fields.text(size);
    if (number != zip64_field) {
      others.u16(number).u16(size).text(content);
    } else if (!has_wide) {
      wide.text(content.substr(0, wide_sizes));
      has_wide = true;
    }
  }
  if (is_wide(offset)) wide.u64(unsigned_of(offset));
  RecordWriter extra;
  if (wide.size() > 0) extra.u16(zip64_field).u16(unsigned_of(wide.size())).text(wide.record());
  const bool has_room = extra.record().size() + others.record().size() <= longest_extra;
  return has_room ? extra.record() + others.record() : extra.record();
}

}  // namespace

std::string local_header(const WrittenMember& member) {
  // Sizes are always in the zip64 field, as NumPy writes them.
  RecordWriter extra;
  extra.u16(zip64_field).u16(16);
  extra.u64(unsigned_of(member.size)).u64(unsigned_of(member.packed_size));
  const std::int64_t unpadded =
      local_size + static_cast<std::int64_t>(member.name.size()) + extra.size();
  if (member.method == ZipMethod::stored) extra.text(padding(member.offset + unpadded));
  RecordWriter header;
  header.u32(local_signature)
      .u16(version)
      .u16(flags_of(member.name))
      .u16(value_of_method(member.method));
  header.u16(0).u16(first_date).u32(member.crc).u32(in_zip64_32).u32(in_zip64_32);
  header.u16(member.name.size()).u16(unsigned_of(extra.size()));
  return header.text(member.name).text(extra.record()).record();
}

std::string directory_record(const WrittenMember& member) {
  RecordWriter wide;
  if (is_wide(member.size)) wide.u64(unsigned_of(member.size));
  if (is_wide(member.packed_size)) wide.u64(unsigned_of(member.packed_size));
  if (is_wide(member.offset)) wide.u64(unsigned_of(member.offset));
  RecordWriter extra;
  if (wide.size() > 0) extra.u16(zip64_field).u16(unsigned_of(wide.size())).text(wide.record());
  RecordWriter record;
  record.u32(directory_signature).u16(made_by_unix).u16(version).u16(flags_of(member.name));
  record.u16(value_of_method(member.method)).u16(0).u16(first_date).u32(member.crc);
  record.u32(narrowed(member.packed_size)).u32(narrowed(member.size));
  record.u16(member.name.size()).u16(unsigned_of(extra.size())).u16(0);
  record.u16(0).u16(0).u32(mode).u32(narrowed(member.offset));
  return record.text(member.name).text(extra.record()).record();
}

std::string moved_record(std::span<const std::byte> old_record, std::int64_t offset) {
  const OldRecord old = take_apart(old_record);
  const std::string extra = moved_extra(old, offset);
  const unsigned needed =
      is_wide(offset) ? std::max<unsigned>(old.version_needed, version) : old.version_needed;
  RecordWriter record;
  record.text(old.front).u16(needed).text(old.middle).u32(old.packed_size).u32(old.size);
  record.u16(old.name.size()).u16(extra.size()).u16(old.comment.size());
  record.u16(0).text(old.attributes).u32(narrowed(offset));
  return record.text(old.name).text(extra).text(old.comment).record();
}

std::string end_records(std::int64_t directory_offset, std::int64_t directory_size,
                        std::uint64_t entries, std::string_view comment) {
  RecordWriter end;
  const bool has_many = entries >= in_zip64_16;
  if (has_many || is_wide(directory_size) || is_wide(directory_offset)) {
    end.u32(zip64_end_signature).u64(zip64_end_size - 12).u16(made_by_unix).u16(version);
    end.u32(0).u32(0).u64(entries).u64(entries);
    end.u64(unsigned_of(directory_size)).u64(unsigned_of(directory_offset));
    end.u32(zip64_locator_signature).u32(0);
    end.u64(unsigned_of(directory_offset + directory_size)).u32(1);
  }
  const std::uint64_t few = has_many ? in_zip64_16 : entries;
  end.u32(end_signature).u16(0).u16(0).u16(few).u16(few);
  end.u32(narrowed(directory_size)).u32(narrowed(directory_offset));
  return end.u16(comment.size()).text(comment).record();
}

}  // namespace tscatter::zip
