#include "tscatter/io/formats/npy/npy_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/checked.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/file_kinds.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/npy/descr.hpp"
#include "tscatter/io/formats/npy/python_literal.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter {

Tensor open_npy(const std::filesystem::path& path) {
  auto file = std::make_shared<FileSource>(open_settled(path, path.native()));
  return npy_tensor(std::move(file), path.native());
}

Tensor npy_tensor(std::shared_ptr<const Source> file, const std::string& name) {
  const NpyHeader header = read_npy_header(*file, name);
  bytes_after_npy(header, *file, name);
  const std::int64_t size = header.tensor.byte_size();
  return {header.tensor, std::make_shared<PartSource>(std::move(file), header.data_offset, size),
          name};
}

std::int64_t bytes_after_npy(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return 0;
  try {
    const FileSource file(File::open_for_reading(path));
    return bytes_after_npy(read_npy_header(file, path.native()), file, path.native());
  } catch (const Error&) {
    return 0;
  }
}

InPlaceFile npy_in_place(const std::filesystem::path& path, const InPlaceOptions& options) {
  return {path, npy_tensor, options};
}

Sink& NpyFileOutput::begin(const TensorHeader& header, const Source&) {
  if (descriptor_) {
    file_.emplace(*descriptor_, path_.native());
  } else {
    file_.emplace(path_, durability_, system_files(), stop_);
  }
  if (turn_) file_->take_turn(*turn_);
  std::vector<std::byte> front = npy_header_bytes(header);
  const auto size = checked_add(static_cast<std::int64_t>(front.size()), header.byte_size());
  file_->reserve(size.value_or(std::numeric_limits<std::int64_t>::max()));
  return sink_.emplace(*file_, std::move(front));
}

namespace {

// No more than the header announces: a pipe may never end.
void spool_npy(Spool& spool, const File& pipe) {
  constexpr std::int64_t longest_header = (std::int64_t{1} << 20) + 12;
  constexpr std::int64_t everything = std::numeric_limits<std::int64_t>::max();
  if (!spool.fill_from(pipe, longest_header)) return;
  const NpyHeader header = read_npy_header(spool, pipe.name());
  // The bytes that another .npy file begins with show whether one follows the data.
  const auto end = checked_add(header.data_offset + 6, header.tensor.byte_size());
  spool.fill_from(pipe, std::max(spool.size(), end.value_or(everything)));
}

void tell_of_more(const Source& file, const FormatReading& reading) {
  const NpyHeader header = read_npy_header(file, reading.name);
  if (bytes_after_npy(header, file, reading.name) == 0) return;
  reading.note(fmt::format("{}: another array follows the first, from byte {} on, and is not read",
                           reading.name, header.data_offset + header.tensor.byte_size()));
}

Tensor open_tensor(const std::shared_ptr<const Source>& file, const FormatReading& reading) {
  if (reading.note) tell_of_more(*file, reading);
  return npy_tensor(file, reading.name);
}

std::unique_ptr<Output> create_file(const OutputPlace& place) {
  if (place.descriptor) return std::make_unique<NpyFileOutput>(*place.descriptor, place.name);
  auto output = std::make_unique<NpyFileOutput>(place.path, place.durability, place.stop);
  output->take_turn(place.turn(Replaced::file));
  return output;
}

}  // namespace

constinit const Format npy_format{
    .name = "npy",
    .ending = ".npy",
    .kind = "a .npy file",
    .begins_as = begins_as_npy,
    .spool = spool_npy,
    .open = open_tensor,
    .create = create_file,
    .front = npy_header_bytes,
    .in_place = InPlace::possible,
    .rules = npy_rules,
    .help =
        "versions 1.0, 2.0 and 3.0, C and Fortran order, both byte orders, every dtype of fixed "
        "size. What is written is byte for byte what NumPy 2 writes; the output has data's byte "
        "order and memory order.",
};

namespace {

constexpr std::array npy_header_rule_rows{
    Rule{"npy.f1", "a .npy file begins with the bytes \\x93NUMPY"},
    Rule{"npy.f2", "its format version is 1.0, 2.0 or 3.0"},
    Rule{"npy.f3", "its header is whole, and at most 1 MiB long"},
    Rule{"npy.f4",
         "its header is a Python dict of descr, fortran_order and shape, as np.save writes it"},
    Rule{"npy.f5", "descr names a dtype of fixed size that is not 0, and no Python objects"},
    Rule{"npy.f6",
         "shape is a tuple of at most 64 sizes >= 0, of at most 2^63 - 1 elements and bytes"},
    Rule{"npy.f7", "the data is not shorter than the header says"},
    Rule{"npy.f8", "nothing follows the data, but another .npy file"},
};

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::int64_t max_header = std::int64_t{1} << 20;
constexpr std::size_t alignment = 64;  // of the data in the file

[[noreturn]] void refuse(std::string_view label, const std::string& name, std::string_view rule,
                         std::string_view got) {
  fail(ErrorKind::format, label, name, "{}, got {}", rule, got);
}

std::uint32_t little_endian(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8U | std::to_integer<std::uint32_t>(bytes[i]);
  return value;
}

std::string latin1_to_utf8(std::string_view text) {
  std::string out;
  for (const char c : text) append_character(out, static_cast<unsigned char>(c));
  return out;
}

// nullopt if a character is outside Latin-1. REQUIRES: well-formed UTF-8.
std::optional<std::string> utf8_to_latin1(std::string_view text) {
  constexpr char32_t last = 0xFF;
  std::string out;
  while (!text.empty()) {
    const char32_t code = code_point(take_character(text));
    if (code > last) return std::nullopt;
    out += static_cast<char>(code);
  }
  return out;
}

// The bytes before the header's text, and the text as UTF-8.
struct RawHeader {
  std::int64_t text_offset;
  std::int64_t text_size;
  std::string text;
};

// The fixed bytes that a header begins with.
struct Front {
  int version;
  std::int64_t text_offset;
  std::int64_t text_size;
};

[[noreturn]] void refuse_beginning(const Source& file, const std::string& name) {
  constexpr std::string_view rule = "a .npy file must begin with \\x93NUMPY";
  // npy.f1
  if (file.size() == 0) refuse("npy.f1", name, rule, "an empty file");
  // npy.f1
  if (const auto other = other_kind_in(file, npy_format, name))
    refuse("npy.f1", name, rule, *other);
  const bool is_stdin = name.starts_with('<');
  // npy.f1
  refuse("npy.f1", name,
         fmt::format("{} (raw bytes are read as SHAPExDTYPE=@{})", rule, is_stdin ? "FILE" : name),
         "other bytes");
}

Front read_front(const Source& file, const std::string& name) {
  std::array<std::byte, 12> bytes{};
  const auto available =
      static_cast<std::size_t>(std::min<std::int64_t>(file.size(), bytes.size()));
  file.read(0, std::span(bytes).first(available));
  // npy.f1
  if (!begins_as_npy(std::span<const std::byte>(bytes).first(available)))
    refuse_beginning(file, name);
  const auto major = std::to_integer<int>(bytes[6]);
  const auto minor = std::to_integer<int>(bytes[7]);
  const std::size_t length_size = major == 1 ? 2 : 4;
  // npy.f2
  if (available >= 8 && (major < 1 || major > 3 || minor != 0)) {
    refuse("npy.f2", name, "the format version must be 1.0, 2.0 or 3.0",
           fmt::format("{}.{}", major, minor));
  }
  // npy.f3
  if (available < 8 + length_size) {
    refuse("npy.f3", name, "the header must be whole", fmt::format("{} bytes", file.size()));
  }
  return {.version = major,
          .text_offset = static_cast<std::int64_t>(8 + length_size),
          .text_size = little_endian(std::span<const std::byte>(bytes).subspan(8, length_size))};
}

RawHeader read_raw(const Source& file, const std::string& name) {
  const Front front = read_front(file, name);
  // npy.f3
  if (front.text_size > max_header) {
    refuse("npy.f3", name, "the header must be at most 1048576 bytes long",
           fmt::format("{}", front.text_size));
  }
  // npy.f3
  if (front.text_offset + front.text_size > file.size()) {
    refuse("npy.f3", name, "the header must be whole",
           fmt::format("{} of {} bytes", file.size() - front.text_offset, front.text_size));
  }
  RawHeader raw{.text_offset = front.text_offset, .text_size = front.text_size, .text = {}};
  raw.text.resize(static_cast<std::size_t>(raw.text_size));
  file.read(raw.text_offset, std::as_writable_bytes(std::span(raw.text)));
  if (front.version < 3) raw.text = latin1_to_utf8(raw.text);
  // npy.f4
  if (front.version == 3 && !is_utf8(raw.text)) {
    refuse("npy.f4", name, "a header of version 3.0 must be UTF-8", "other bytes");
  }
  return raw;
}

const PythonValue* find(const PythonDict& dict, std::string_view key) {
  const auto found = std::ranges::find(dict.items, key, &PythonItem::key);
  return found == dict.items.end() ? nullptr : &found->value;
}

PythonValue parse_text(const std::string& text, const std::string& name) {
  try {
    return parse_python_literal(text);
  } catch (const PythonSyntaxError& error) {
    // npy.f4
    refuse("npy.f4", name, "the header must be a Python dict as np.save writes it", error.what());
  }
}

ElementType type_of(const PythonValue& descr, const std::string& name) {
  try {
    return element_type_of(descr);
  } catch (const DescrError& error) {
    // npy.f5
    refuse("npy.f5", name, "descr must name a dtype of fixed size", error.what());
  }
}

Shape shape_of(const PythonValue& value, std::size_t element_size, const std::string& name) {
  const auto* tuple = value.as<PythonTuple>();
  // npy.f6
  if (tuple == nullptr) refuse("npy.f6", name, "shape must be a tuple of sizes", "something else");
  Shape shape;
  for (const PythonValue& item : tuple->items) {
    const auto* dim = item.as<std::int64_t>();
    // npy.f6
    if (dim == nullptr)
      refuse("npy.f6", name, "shape must be a tuple of sizes", "something else in it");
    // npy.f6
    if (*dim < 0)
      refuse("npy.f6", name, "sizes in shape must not be negative", fmt::format("{}", *dim));
    shape.push_back(*dim);
  }
  // npy.f6
  if (shape.size() > max_rank)
    refuse("npy.f6", name, "shape must have at most 64 axes", fmt::format("{}", shape.size()));
  // npy.f6
  if (!is_addressable(shape, element_size)) {
    refuse("npy.f6", name, "the array must have at most 2^63 - 1 bytes",
           fmt::format("shape {}", to_string(shape)));
  }
  return shape;
}

TensorHeader interpret(const PythonValue& value, const std::string& name) {
  const auto* dict = value.as<PythonDict>();
  const PythonValue* descr = dict != nullptr ? find(*dict, "descr") : nullptr;
  const PythonValue* order = dict != nullptr ? find(*dict, "fortran_order") : nullptr;
  const PythonValue* shape = dict != nullptr ? find(*dict, "shape") : nullptr;
  // npy.f4
  if (descr == nullptr || order == nullptr || shape == nullptr || dict->items.size() != 3) {
    refuse("npy.f4", name, "the header must be a dict of descr, fortran_order and shape",
           "other keys");
  }
  const bool* is_fortran = order->as<bool>();
  // npy.f4
  if (is_fortran == nullptr)
    refuse("npy.f4", name, "fortran_order must be True or False", "something else");
  TensorHeader tensor{.type = type_of(*descr, name)};
  tensor.shape = shape_of(*shape, tensor.type.size, name);
  const bool lies_fortran = *is_fortran && !is_contiguous_both_ways(tensor.shape);
  tensor.order = lies_fortran ? MemoryOrder::fortran : MemoryOrder::c;
  return tensor;
}

// The space that NumPy leaves so that the first axis (in Fortran order the last) can grow in place.
std::size_t growth_space(const TensorHeader& tensor) {
  constexpr std::size_t digits = 21;
  if (tensor.rank() == 0) return 0;
  const std::int64_t growing =
      tensor.order == MemoryOrder::fortran ? tensor.shape.back() : tensor.shape.front();
  return digits - std::to_string(growing).size();
}

std::string header_text(const TensorHeader& tensor) {
  const bool is_fortran = tensor.order == MemoryOrder::fortran;
  return fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': ({}{}), }}{:{}}",
                     descr_text(tensor.type), is_fortran ? "True" : "False",
                     fmt::join(tensor.shape, ", "), tensor.rank() == 1 ? "," : "", "",
                     growth_space(tensor));
}

std::vector<std::byte> assemble(std::string text, int version) {
  const std::size_t length_size = version == 1 ? 2 : 4;
  const std::size_t front = magic.size() + 2 + length_size;
  text.append(alignment - (front + text.size() + 1) % alignment, ' ');
  text += '\n';
  std::string out(magic);
  out += static_cast<char>(version);
  out += '\0';
  for (std::size_t i = 0; i < length_size; ++i)
    out += static_cast<char>(text.size() >> (8 * i) & 0xFFU);
  out += text;
  const auto bytes = std::as_bytes(std::span(out));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::span<const Rule> npy_rules() { return npy_header_rule_rows; }

bool begins_as_npy(std::span<const std::byte> first_bytes) {
  const auto expected = std::as_bytes(std::span(magic));
  return first_bytes.size() >= expected.size() &&
         std::ranges::equal(first_bytes.first(expected.size()), expected);
}

NpyHeader read_npy_header(const Source& file, const std::string& name) {
  const RawHeader raw = read_raw(file, name);
  return {.tensor = interpret(parse_text(raw.text, name), name),
          .data_offset = raw.text_offset + raw.text_size};
}

std::int64_t bytes_after_npy(const NpyHeader& header, const Source& file, const std::string& name) {
  const std::int64_t more = file.size() - header.data_offset - header.tensor.byte_size();
  std::array<std::byte, magic.size()> beginning{};
  if (more >= std::ssize(beginning)) file.read(file.size() - more, beginning);
  if (!begins_as_npy(beginning)) require_npy_size(header, file.size(), name);
  return more;
}

void require_npy_size(const NpyHeader& header, std::int64_t file_size, const std::string& name) {
  const std::int64_t expected = header.tensor.byte_size();
  const std::int64_t actual = file_size - header.data_offset;
  // npy.f7
  if (actual < expected) {
    fail(ErrorKind::format, "npy.f7", name, "data ends after {} of {} bytes", actual, expected);
  }
  // npy.f8
  if (actual > expected) {
    fail(ErrorKind::format, "npy.f8", name, "the file must end with the data, got {} bytes more",
         actual - expected);
  }
}

std::vector<std::byte> npy_header_bytes(const TensorHeader& tensor) {
  constexpr std::size_t largest_of_version_1 = 65535;
  const std::string text = header_text(tensor);
  const std::optional<std::string> latin1 = utf8_to_latin1(text);
  if (!latin1) return assemble(text, 3);
  std::vector<std::byte> bytes = assemble(*latin1, 1);
  if (bytes.size() - 10 > largest_of_version_1) return assemble(*latin1, 2);
  return bytes;
}

}  // namespace tscatter
