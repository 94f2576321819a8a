#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "tscatter/core/checked.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/file_kinds.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/row_major_elements.hpp"
#include "tscatter/io/formats/text/literal.hpp"

namespace tscatter {
namespace {

constexpr std::array raw_format_rule_rows{
    Rule{"raw.f1",
         "a file of raw bytes has as many as its shape: exactly, or at least from an offset on"},
    Rule{"raw.f2",
         "the offset is an integer, and the bytes after it end below 2^63; a shape has at most 64 "
         "axes"},
    Rule{"raw.f3",
         "a file that begins like another format is read as raw bytes only with an offset"},
    Rule{"raw.f4", "after the file, be, le and f stand at most once each, and not both be and le"},
};

// What stands in an operand: SHAPExDTYPE=@FILE[+OFFSET][,be|,le][,f]
struct RawWord {
  std::string_view front;  // SHAPExDTYPE
  std::string_view file;
  std::string_view tail;  // [+OFFSET][,be|,le][,f]
};

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<RawWord> split_word(std::string_view word) {
  constexpr std::string_view sign = "=@";
  const std::size_t at = word.find(sign);
  if (at == std::string_view::npos || !literal_header(word.substr(0, at))) return std::nullopt;
  const std::string_view rest = word.substr(at + sign.size());
  std::size_t end = rest.size();
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view option : {",be", ",le", ",f"}) {
      if (!rest.substr(0, end).ends_with(option)) continue;
      end -= option.size();
      found = true;
    }
  }
  const std::size_t plus = rest.substr(0, end).rfind('+');
  if (plus != std::string_view::npos && is_digits(rest.substr(plus + 1, end - plus - 1)))
    end = plus;
  return RawWord{
      .front = word.substr(0, at), .file = rest.substr(0, end), .tail = rest.substr(end)};
}

// The file is the archive, and the member says what is in it: SHAPExDTYPE=[+OFFSET][,be|,le][,f]
std::optional<MemberName> split(std::string_view word) {
  const auto parts = split_word(word);
  if (!parts || parts->file.empty()) return std::nullopt;
  return MemberName{.format = &raw_format,
                    .archive = std::string(parts->file),
                    .member = fmt::format("{}={}", parts->front, parts->tail)};
}

struct RawLayout {
  TensorHeader header;
  std::optional<std::int64_t> offset;
};

std::int64_t read_offset(std::string_view digits, const std::string& name) {
  std::int64_t offset = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), offset);
  // raw.f2
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    fail(ErrorKind::usage, "raw.f2", name, "an offset must be an integer below 2^63, got {}",
         digits);
  }
  return offset;
}

// [,be][,le][,f] in any order. REQUIRES: split() found them.
void read_options(std::string_view options, TensorHeader& header, const std::string& name) {
  bool has_byte_order = false;
  for (std::string_view left = options; !left.empty();) {
    const std::string_view option = left.substr(0, left.find(',', 1));
    left.remove_prefix(option.size());
    const bool is_memory_order = option == ",f";
    const bool is_given = is_memory_order ? header.order == MemoryOrder::fortran : has_byte_order;
    // raw.f4
    if (is_given) {
      fail(ErrorKind::usage, "raw.f4", name,
           "be or le, and f, must be given at most once, after the file, got {}", options);
    }
    if (is_memory_order) {
      header.order = MemoryOrder::fortran;
    } else {
      has_byte_order = true;
      header.type.byte_order = option == ",be" ? std::endian::big : std::endian::little;
    }
  }
}

// REQUIRES: split() made the member.
RawLayout layout_of(std::string_view member, const std::string& name) {
  const std::size_t equals = member.find('=');
  RawLayout layout{.header = *literal_header(member.substr(0, equals)), .offset = {}};
  TensorHeader& header = layout.header;
  header.type.byte_order = std::endian::little;
  std::string_view tail = member.substr(equals + 1);
  if (tail.starts_with('+')) {
    const std::size_t end = std::min(tail.find(','), tail.size());
    layout.offset = read_offset(tail.substr(1, end - 1), name);
    tail.remove_prefix(end);
  }
  read_options(tail, header, name);
  // raw.f2
  if (header.rank() > max_rank || !is_addressable(header.shape, header.type.size) ||
      !checked_add(layout.offset.value_or(0), header.byte_size())) {
    fail(ErrorKind::usage, "raw.f2", name,
         "the bytes must end below 2^63, in at most {} axes, got shape {}", max_rank,
         to_string(header.shape));
  }
  return layout;
}

ByteRange range_of(std::string_view member) {
  const RawLayout layout = layout_of(member, std::string(member));
  const std::int64_t begin = layout.offset.value_or(0);
  return {.begin = begin, .end = begin + layout.header.byte_size()};
}

// The operand for a file that has a header.
std::string meant_operand(const Format& format, const std::string& file) {
  return format.is_archive() ? fmt::format("{}:name", file) : file;
}

void require_raw(const Source& file, const std::string& name) {
  constexpr std::array endings{".npy", ".npz", ".safetensors", ".gguf", ".h5", ".fits"};
  std::array<std::byte, first_bytes_size> bytes{};
  const auto first = std::span(bytes).first(
      static_cast<std::size_t>(std::min<std::int64_t>(file.size(), first_bytes_size)));
  file.read(0, first);
  for (const char* const ending : endings) {
    const FileKind& kind = *kind_with_ending(ending);
    if (!begins_as(kind, first)) continue;
    const Format& format = format_of_name(ending);
    const bool is_read = format.has_ending(ending);
    // raw.f3
    fail(ErrorKind::format, "raw.f3", name,
         "a file that begins like another format must be given with an offset (or as {}), got {}",
         is_read ? meant_operand(format, name) : "+OFFSET of its data", kind.name);
  }
}

void require_size(const RawLayout& layout, const Source& file, const std::string& name) {
  const std::int64_t bytes = layout.header.byte_size();
  const std::int64_t got = file.size() - layout.offset.value_or(0);
  // raw.f1
  if (layout.offset ? got < bytes : got != bytes) {
    fail(ErrorKind::format, "raw.f1", name, "the file must have {} bytes of {} of {}{}, got {}",
         bytes, to_string(layout.header.shape), to_string(layout.header.type),
         layout.offset ? fmt::format(" from byte {} on", *layout.offset) : std::string(),
         std::max<std::int64_t>(got, 0));
  }
}

// A file that is read as its operand says.
class RawFile final : public Archive {
 public:
  RawFile(std::shared_ptr<const Source> file, std::string name)
      : file_{std::move(file)}, name_{std::move(name)} {}

  std::vector<ArchiveMember> members() const override { return {}; }
  Tensor tensor(std::string_view member) const override {
    const RawLayout layout = layout_of(member, name_);
    if (!layout.offset) require_raw(*file_, name_);
    require_size(layout, *file_, name_);
    return {
        layout.header,
        std::make_shared<PartSource>(file_, layout.offset.value_or(0), layout.header.byte_size()),
        name_};
  }
  Tensor tensor_at(std::size_t index) const override { return tensor(members().at(index).name); }

 private:
  std::shared_ptr<const Source> file_;
  std::string name_;
};

std::unique_ptr<Archive> open_raw(std::shared_ptr<const Source> file,
                                  const FormatReading& reading) {
  return std::make_unique<RawFile>(std::move(file), reading.name);
}

std::unique_ptr<Output> create_raw(const OutputPlace& place) {
  return std::make_unique<RowMajorOutput>(
      [place] { return open_output_file(place); },
      RowMajorElements::Place{
          .name = place.name, .spool_directory = place.spool_directory, .stop = place.stop});
}

}  // namespace

constinit const Format raw_format{
    .name = "raw",
    .ending = ".raw",
    .kind = "a file of raw bytes",
    .begins_as = [](std::span<const std::byte> /*first_bytes*/) { return false; },
    .spool = spool_all,
    .open_archive = open_raw,
    .no_member = "raw.f1",
    .split = split,
    .range = range_of,
    .create = create_raw,
    .in_place = InPlace::possible,
    .rules = [] { return std::span<const Rule>(raw_format_rule_rows); },
    .help =
        "elements without a header: 4x3xf32=@path says dtype and shape, +OFFSET where they begin, "
        ",be that they are big-endian (,le little-endian, as without), ,f that the first axis is "
        "contiguous. What is written is "
        "little-endian and row-major.",
    .operands = "4x3xf32=@path+offset,be,f",
    .operands_help = "raw bytes; offset, byte order and memory order may be left out",
};

}  // namespace tscatter
