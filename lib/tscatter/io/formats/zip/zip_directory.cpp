#include "tscatter/io/formats/zip/zip_directory.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/checked.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/zip/zip_format.hpp"

namespace tscatter {
namespace {

constexpr std::array zip_directory_rule_rows{
    Rule{"npz.z1", "a .npz file ends with the end record of a zip archive and its comment"},
    Rule{"npz.z2", "the archive is in one piece, not on several disks"},
    Rule{"npz.z3",
         "a zip64 end record is whole, before its locator, and agrees with the end record"},
    Rule{"npz.z4",
         "the archive's directory lies inside the file, directly before the end record, and is at "
         "most 8 MiB long"},
    Rule{"npz.z5", "the directory is as many whole records as the end record says"},
    Rule{"npz.z6", "what a record leaves to its zip64 field stands there, and is below 2^63"},
    Rule{"npz.z7", "a member that is read is not encrypted"},
    Rule{"npz.z8", "a member that is read is stored or deflated"},
    Rule{"npz.z9", "a member lies before the directory"},
    Rule{"npz.z10", "the header before a member's bytes agrees with the directory"},
    Rule{"npz.z11", "members do not overlap"},
    Rule{"npz.z12", "a member that is replaced is the only one of its name"},
    Rule{"npz.z13", "a member that is named is in the archive"},
    Rule{"npz.z14", "a member's bytes have the checksum that the directory says"},
    Rule{"npz.z15", "a member has as many bytes as the directory says"},
    Rule{"npz.z16", "nothing follows the end of a member's deflated bytes"},
    Rule{"npz.z17",
         "a deflated member is at most 2^40 bytes long, and no longer than its bytes can be made"},
    Rule{"npz.z18", "a member that is read is a .npy"},
    Rule{"npz.z19",
         "the name of a member that is written is 1 to 4096 bytes of UTF-8, none of them 0, and of "
         "a "
         "whole archive only one member has it"},
    Rule{"npz.z20", "a member that is replaced is a .npy"},
};

using zip::bytes_at;
using zip::refuse;

// The characters 0x80 to 0xFF of code page 437, the encoding of names that are not marked as UTF-8.
constexpr std::u16string_view code_page_437 =
    u"ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
    u"└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00A0";
static_assert(code_page_437.size() == 128);

std::string decoded_name(std::string_view raw, std::uint16_t flags) {
  if ((flags & zip::has_utf8_name) != 0) return std::string(raw);
  std::string name;
  name.reserve(raw.size());
  for (const char c : raw) {
    const auto byte = static_cast<unsigned char>(c);
    append_character(name, byte < 0x80 ? byte : char32_t{code_page_437[byte - 0x80U]});
  }
  return name;
}

// The content of the first extra field with this number; nullopt if there is none, or if the fields
// are truncated.
std::optional<std::span<const std::byte>> extra_field(std::span<const std::byte> extra,
                                                      std::uint16_t wanted) {
  zip::RecordReader reader(extra);
  while (reader.left() >= 4) {
    const std::uint16_t number = reader.u16();
    const std::size_t size = reader.u16();
    if (size > reader.left()) return std::nullopt;
    const auto content = reader.bytes(size);
    if (number == wanted) return content;
  }
  return std::nullopt;
}

// A record's 32-bit numbers, or the ones in its zip64 field that replace them.
class WideNumbers {
 public:
  WideNumbers(std::span<const std::byte> extra, const std::string& name)
      : field_{extra_field(extra, zip::zip64_field).value_or(std::span<const std::byte>())},
        name_{name} {}

  // REQUIRES: called in the order of the zip64 field: size, packed size, offset.
  std::int64_t widened(std::uint32_t narrow) {
    if (narrow != zip::in_zip64_32) return narrow;
    // npz.z6
    if (field_.left() < 8) {
      refuse("npz.z6", name_, "a record's zip64 field must have what the record leaves to it",
             fmt::format("{} bytes", field_.left()));
    }
    const std::uint64_t wide = field_.u64();
    // npz.z6
    if (wide > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      refuse("npz.z6", name_, "a number of a zip64 field must be below 2^63",
             fmt::format("{}", wide));
    }
    return static_cast<std::int64_t>(wide);
  }

 private:
  zip::RecordReader field_;
  const std::string& name_;
};

// Reads the directory's records one after another.
class DirectoryReader {
 public:
  DirectoryReader(std::span<const std::byte> bytes, std::int64_t begin, std::int64_t prefix,
                  const std::string& name)
      : reader_{bytes}, position_{begin}, prefix_{prefix}, name_{name} {}

  std::size_t left() const { return reader_.left(); }

  ZipEntry next() {
    // npz.z5
    if (left() < static_cast<std::size_t>(zip::record_size)) refuse_cut();
    // npz.z5
    if (reader_.u32() != zip::directory_signature) {
      refuse("npz.z5", name_, "a record of the directory must begin with PK\\x01\\x02",
             "other bytes");
    }
    ZipEntry entry;
    entry.record = position_;
    reader_.u32();  // versions
    entry.flags = reader_.u16();
    entry.method = static_cast<ZipMethod>(reader_.u16());
    reader_.u32();  // time
    entry.crc = reader_.u32();
    const std::uint32_t packed_size = reader_.u32();
    const std::uint32_t size = reader_.u32();
    const std::size_t name_size = reader_.u16();
    const std::size_t extra_size = reader_.u16();
    const std::size_t comment_size = reader_.u16();
    const std::uint16_t disk = reader_.u16();
    reader_.bytes(6);  // attributes
    const std::uint32_t offset = reader_.u32();
    // npz.z5
    if (left() < name_size + extra_size + comment_size) refuse_cut();
    entry.name = decoded_name(reader_.text(name_size), entry.flags);
    WideNumbers numbers(reader_.bytes(extra_size), name_);
    entry.size = numbers.widened(size);
    entry.packed_size = numbers.widened(packed_size);
    entry.offset = numbers.widened(offset);
    reader_.bytes(comment_size);
    // npz.z2
    if (disk != 0 && disk != zip::in_zip64_16)
      refuse("npz.z2", name_, "an archive must be in one piece", "several");
    finish(entry, name_size + extra_size + comment_size);
    return entry;
  }

 private:
  [[noreturn]] void refuse_cut() const {
    // npz.z5
    refuse("npz.z5", name_, "a record of the directory must be whole",
           fmt::format("{} bytes", left()));
  }

  void finish(ZipEntry& entry, std::size_t variable_size) {
    entry.record_size = zip::record_size + static_cast<std::int64_t>(variable_size);
    position_ += entry.record_size;
    const auto offset = checked_add(entry.offset, prefix_);
    entry.offset = offset.value_or(std::numeric_limits<std::int64_t>::max());
  }

  zip::RecordReader reader_;
  std::int64_t position_;
  std::int64_t prefix_;
  const std::string& name_;
};

// The earliest possible end of an entry: its local header may be longer.
std::int64_t earliest_end(const ZipEntry& entry) {
  const auto packed = checked_add(entry.packed_size, zip::local_size);
  const auto end = packed ? checked_add(*packed, entry.offset) : std::nullopt;
  return end.value_or(std::numeric_limits<std::int64_t>::max());
}

// Sets the end of each entry to the beginning of the next in the file.
void find_ends(ZipDirectory& directory, const std::string& name) {
  std::vector<std::uint32_t> order(directory.entries.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return directory.entries[i].offset; });
  std::int64_t next = directory.begin;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    ZipEntry& entry = directory.entries[*i];
    const bool is_last = i == order.rbegin();
    // npz.z9
    if (earliest_end(entry) > directory.begin) {
      refuse("npz.z9", name,
             fmt::format("the member {} must lie before the directory at byte {}", entry.name,
                         directory.begin),
             fmt::format("{} bytes at {}", entry.packed_size, entry.offset));
    }
    // npz.z11
    if (!is_last && earliest_end(entry) > next) {
      refuse("npz.z11", name, fmt::format("the member {} must not overlap another", entry.name),
             fmt::format("one that begins at byte {}", next));
    }
    entry.end = next;
    next = entry.offset;
  }
}

// Another method of compression.
struct OtherMethod {
  unsigned number;
  std::string_view name;
  bool is_read_by_numpy;
};
constexpr std::array other_methods{
    OtherMethod{9, "Deflate64", false}, OtherMethod{12, "bzip2", true},
    OtherMethod{14, "LZMA", true},      OtherMethod{93, "Zstandard", true},
    OtherMethod{95, "xz", false},
};

[[noreturn]] void refuse_method(ZipMethod method, const std::string& name) {
  const auto number = static_cast<unsigned>(method);
  const auto* const other = std::ranges::find(other_methods, number, &OtherMethod::number);
  const bool is_known = other != other_methods.end();
  const std::string advice = is_known && other->is_read_by_numpy
                                 ? fmt::format("{} stores all", npz_written_anew)
                                 : "7z x unpacks it";
  // npz.z8
  refuse("npz.z8", name, fmt::format("a member must be stored or deflated ({})", advice),
         is_known ? std::string(other->name) : fmt::format("method {}", number));
}

void require_readable(const ZipEntry& entry, const std::string& name) {
  constexpr unsigned encryption = zip::is_encrypted | zip::is_strongly_encrypted | zip::is_masked;
  // npz.z7
  if ((entry.flags & encryption) != 0)
    refuse("npz.z7", name, "a member must not be encrypted", "an encrypted one");
  // npz.z8
  if (entry.method != ZipMethod::stored && entry.method != ZipMethod::deflated)
    refuse_method(entry.method, name);
}

// The fixed part of a local header.
struct LocalHeader {
  std::uint32_t signature;
  std::uint16_t flags;
  std::uint16_t method;
  std::uint32_t crc;
  std::uint32_t packed_size;
  std::uint32_t size;
  std::uint16_t name_size;
  std::uint16_t extra_size;
};

LocalHeader parse_local(std::span<const std::byte> bytes) {
  zip::RecordReader reader(bytes);
  LocalHeader header{};
  header.signature = reader.u32();
  reader.u16();  // version
  header.flags = reader.u16();
  header.method = reader.u16();
  reader.u32();  // time
  header.crc = reader.u32();
  header.packed_size = reader.u32();
  header.size = reader.u32();
  header.name_size = reader.u16();
  header.extra_size = reader.u16();
  return header;
}

[[noreturn]] void refuse_local(const std::string& name, std::string_view got) {
  // npz.z10
  refuse("npz.z10", name, "the header before a member's bytes must agree with the directory", got);
}

void require_same_sizes(const LocalHeader& header, std::span<const std::byte> extra,
                        const ZipEntry& entry, const std::string& name) {
  if ((header.flags & zip::has_descriptor) != 0) return;  // they follow the member's bytes
  WideNumbers numbers(extra, name);
  if (numbers.widened(header.size) != entry.size) refuse_local(name, "another size");
  if (numbers.widened(header.packed_size) != entry.packed_size)
    refuse_local(name, "another packed size");
  if (header.crc != entry.crc) refuse_local(name, "another checksum");
}

}  // namespace

std::span<const Rule> npz_rules() { return zip_directory_rule_rows; }

const ZipEntry* ZipDirectory::find(std::string_view name) const {
  const auto found = std::find_if(entries.rbegin(), entries.rend(),
                                  [&](const ZipEntry& entry) { return entry.name == name; });
  return found == entries.rend() ? nullptr : &*found;
}

bool begins_as_zip(std::span<const std::byte> first_bytes) {
  if (first_bytes.size() < 4) return false;
  const std::uint32_t signature = zip::RecordReader(first_bytes).u32();
  return signature == zip::local_signature || signature == zip::end_signature;
}

ZipDirectory read_zip_directory(const Source& file, const std::string& name) {
  zip::End end = zip::read_end(file, name);
  const auto size = static_cast<std::int64_t>(end.directory_size);
  ZipDirectory directory{
      .entries = {}, .begin = end.position - size, .size = size, .comment = std::move(end.comment)};
  const auto bytes = bytes_at(file, directory.begin, size);
  DirectoryReader reader(bytes, directory.begin, end.prefix, name);
  directory.entries.reserve(static_cast<std::size_t>(end.entries));
  for (std::uint64_t i = 0; i < end.entries; ++i) directory.entries.push_back(reader.next());
  // npz.z5
  if (reader.left() > 0) {
    refuse("npz.z5", name, fmt::format("the directory must end after {} records", end.entries),
           fmt::format("{} bytes more", reader.left()));
  }
  find_ends(directory, name);
  return directory;
}

std::int64_t packed_offset(const Source& file, const ZipEntry& entry, const std::string& name) {
  require_readable(entry, name);
  const LocalHeader header = parse_local(bytes_at(file, entry.offset, zip::local_size));
  if (header.signature != zip::local_signature) refuse_local(name, "no header");
  const std::int64_t variable_size = std::int64_t{header.name_size} + header.extra_size;
  const std::int64_t offset = entry.offset + zip::local_size + variable_size;
  // npz.z11
  if (offset + entry.packed_size > entry.end) {
    refuse("npz.z11", name, fmt::format("the member must end before byte {}", entry.end),
           fmt::format("{} bytes at {}", entry.packed_size, offset));
  }
  const auto variable = bytes_at(file, entry.offset + zip::local_size, variable_size);
  zip::RecordReader reader(variable);
  if (decoded_name(reader.text(header.name_size), header.flags) != entry.name)
    refuse_local(name, "another name");
  if (header.method != static_cast<std::uint16_t>(entry.method))
    refuse_local(name, fmt::format("method {}", header.method));
  constexpr unsigned compared = zip::is_encrypted | zip::has_descriptor;
  if (((header.flags ^ entry.flags) & compared) != 0) refuse_local(name, "other flags");
  require_same_sizes(header, reader.bytes(header.extra_size), entry, name);
  return offset;
}

}  // namespace tscatter
