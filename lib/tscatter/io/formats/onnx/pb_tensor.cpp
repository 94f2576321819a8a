#include "tscatter/io/formats/onnx/pb_tensor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "tscatter/core/checked.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file_names.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/onnx/pb_message.hpp"
#include "tscatter/io/formats/onnx/protobuf.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter {
namespace {

constexpr std::array pb_tensor_rule_rows{
    Rule{"pb.f1",
         "an ONNX file is made of whole fields of wire types 0, 1, 2 and 5, with numbers from 1 to "
         "2^29 - 1, and of varints of at most 10 bytes that fit 64 bits"},
    Rule{"pb.f2", "each of its known fields has its wire type, and names have at most 1024 bytes"},
    Rule{
        "pb.f3",
        "a .pb file is a TensorProto, and a tensor has a data_type, not of strings and of at least "
        "8 bits"},
    Rule{"pb.f4",
         "it has at most 64 dims, each >= 0, of at most 2^63 - 1 elements and bytes together"},
    Rule{"pb.f5", "it holds its values whole: no segment"},
    Rule{"pb.f6",
         "its values are in one place: raw_data, the field of its data_type, or external data"},
    Rule{"pb.f7", "it has as many values as its dims say"},
    Rule{"pb.f8", "each value fits the data_type"},
    Rule{"pb.f9", "an ONNX file has at most 2^31 - 1 bytes, as protocol buffers do"},
    Rule{"pb.f10", "a tensor that is written as ONNX has one of its dtypes"},
    Rule{"pb.f11",
         "external data is a range of another regular file of one name, in the folder of the file "
         "that names it or below, and as long as dims and data_type need; its keys are those of "
         "ONNX"},
};

const OnnxType& require_type(const TensorMessage& message, const std::string& name) {
  // pb.f3
  if (!message.data_type) {
    fail(ErrorKind::format, "pb.f3", name,
         "the tensor has no data_type (models, sequences and optionals are other messages)");
  }
  const OnnxType* type = onnx_type(*message.data_type);
  // pb.f3
  if (type == nullptr) {
    fail(ErrorKind::format, "pb.f3", name,
         "the data_type must be one of ONNX, from 1 to 28, got {}", *message.data_type);
  }
  // pb.f3
  if (!type->dtype) {
    fail(ErrorKind::format, "pb.f3", name,
         "the data_type must be of numbers of at least 8 bits (onnx.numpy_helper.to_array converts "
         "others), got {}",
         type->name);
  }
  return *type;
}

TensorHeader header_of(TensorMessage& message, const OnnxType& type, const std::string& name) {
  TensorHeader header{.type = element_type_of(type), .shape = std::move(message.dims)};
  // pb.f4
  if (!is_addressable(header.shape, header.type.size)) {
    fail(ErrorKind::format, "pb.f4", name,
         "the dims must be of at most 2^63 - 1 elements and bytes, got {} of {}",
         to_string(header.shape), type.name);
  }
  return header;
}

void require_field(const TensorMessage& message, const OnnxType& type, const std::string& name) {
  const bool has_own = (message.raw && message.raw->size() > 0) || message.values > 0;
  // pb.f6
  if (message.is_external && has_own) {
    fail(ErrorKind::format, "pb.f6", name,
         "the values must be in one place, got {} beside external data",
         message.raw ? "raw_data" : name_of(*message.typed));
  }
  // pb.f6
  if (message.typed && (message.raw || *message.typed != type.field)) {
    fail(ErrorKind::format, "pb.f6", name, "the values of {} must be in raw_data or {}, got {}{}",
         type.name, name_of(type.field), name_of(*message.typed),
         message.raw ? " beside raw_data" : "");
  }
}

void require_size(const TensorMessage& message, const TensorHeader& header, const OnnxType& type,
                  const std::string& name) {
  const bool is_raw = message.raw.has_value();
  const std::int64_t wanted =
      is_raw ? header.byte_size() : header.count() * values_of_element(header.type);
  const std::int64_t got = is_raw ? message.raw->size() : message.values;
  // pb.f7
  if (wanted != got) {
    fail(ErrorKind::format, "pb.f7", name,
         "a tensor of dims {} and {} must have {} {} in {}, got {}", to_string(header.shape),
         type.name, wanted, is_raw ? "bytes" : "values", is_raw ? "raw_data" : name_of(type.field),
         got);
  }
}

// Where the elements lie together in the file as they are in memory.
std::optional<ByteRange> range_of_elements(const TensorMessage& message) {
  if (message.raw) return message.raw;
  if (message.values == 0) return ByteRange{};
  const bool is_range = message.parts == 1 && value_bytes(*message.typed) > 0;
  return is_range && message.packed.size() > 0 ? std::optional(message.packed) : std::nullopt;
}

// What is used of a message.
struct UsedMessage {
  TensorMessage message;
  const OnnxType& type;
  TensorHeader header;
};

UsedMessage used_message(const Source& file, ByteRange range, const std::string& name) {
  TensorMessage message = tensor_message(file, range, name);
  const OnnxType& type = require_type(message, name);
  TensorHeader header = header_of(message, type, name);
  require_field(message, type, name);
  return {.message = std::move(message), .type = type, .header = std::move(header)};
}

// Looks at no values, which may be many.
bool may_be_external(const Source& file, ByteRange range, const std::string& name) {
  ProtobufReader fields(file, range, name);
  while (const auto field = fields.next()) {
    if (field->number == static_cast<std::uint64_t>(TensorField::data_location)) return true;
  }
  return false;
}

Tensor external_tensor(const UsedMessage& used, const FormatReading& reading) {
  const ExternalRange data =
      external_range(used.message.external, used.header.byte_size(), reading);
  require_settled(data.path, data.path.native());
  return {used.header, std::make_shared<PartSource>(data.file, data.range.begin, data.range.size()),
          reading.name};
}

}  // namespace

std::span<const Rule> pb_rules() { return pb_tensor_rule_rows; }

Tensor tensor_of_message(const std::shared_ptr<const Source>& file, ByteRange range,
                         const FormatReading& reading) {
  UsedMessage used = used_message(*file, range, reading.name);
  if (used.message.is_external) return external_tensor(used, reading);
  require_size(used.message, used.header, used.type, reading.name);
  if (const auto part = range_of_elements(used.message)) {
    auto elements = std::make_shared<PartSource>(file, part->begin, part->size());
    return {std::move(used.header), std::move(elements), reading.name};
  }
  auto elements = std::make_shared<Spool>(reading.spool_directory, reading.name);
  spool_values(*file, range, used.type, reading, *elements);
  return {std::move(used.header), std::move(elements), reading.name};
}

std::optional<MemberName> external_place(const Source& file, ByteRange range,
                                         const FormatReading& reading) {
  if (!may_be_external(file, range, reading.name)) return std::nullopt;
  const UsedMessage used = used_message(file, range, reading.name);
  if (!used.message.is_external) return std::nullopt;
  const ExternalRange data =
      external_range(used.message.external, used.header.byte_size(), reading);
  const Shape& shape = used.header.shape;
  return MemberName{
      .format = &raw_format,
      .archive = data.location,
      .member = fmt::format("{}{}{}=+{}", fmt::join(shape, "x"), shape.empty() ? "" : "x",
                            to_string(used.header.type), data.range.begin)};
}

Tensor pb_tensor(const std::shared_ptr<const Source>& file, const FormatReading& reading) {
  require_protobuf_size(file->size(), reading.name);
  try {
    return tensor_of_message(file, {.begin = 0, .end = file->size()}, reading);
  } catch (const Error& error) {
    // Its external data are told by a TensorProto only.
    const bool is_external = error.kind() != ErrorKind::format || error.label() == "pb.f11";
    if (!is_external) refuse_other_message(*file, reading.name);
    throw;
  }
}

namespace {

const OnnxType& require_type(const ElementType& type, const std::string& name) {
  const OnnxType* found = onnx_type_of(type);
  // pb.f10
  if (found == nullptr) {
    fail(ErrorKind::usage, "pb.f10", name,
         "a tensor that is written as ONNX must be of one of its dtypes (write .npy), got {}",
         to_string(type));
  }
  return *found;
}

void require_size(std::int64_t front, std::int64_t bytes, const std::string& name) {
  const auto size = checked_add(front, bytes);
  // pb.f9
  if (!size || *size > longest_protobuf) {
    fail(ErrorKind::file, "pb.f9", name,
         "an ONNX file must have at most {} bytes (write .npy), got {} bytes of elements",
         longest_protobuf, bytes);
  }
}

}  // namespace

std::vector<std::byte> PbOutput::front_of(const TensorHeader& header) const {
  const auto number = [](TensorField field) { return static_cast<std::uint64_t>(field); };
  const OnnxType& type = require_type(header.type, name_);
  ProtobufWriter message;
  for (const std::int64_t dim : header.shape) message.integer(number(TensorField::dims), dim);
  message.integer(number(TensorField::data_type), type.number);
  if (!tensor_name_.empty()) message.text(number(TensorField::name), tensor_name_);
  message.begin_bytes(number(TensorField::raw_data),
                      static_cast<std::uint64_t>(header.byte_size()));
  const auto bytes = std::as_bytes(std::span(message.bytes()));
  require_size(std::ssize(bytes), header.byte_size(), name_);
  return {bytes.begin(), bytes.end()};
}

namespace {

namespace fs = std::filesystem;

const std::string& require_location(const ExternalData& data, const std::string& name) {
  // pb.f11
  if (data.unknown) {
    fail(
        ErrorKind::format, "pb.f11", name,
        "the keys of external data must be location, offset, length, checksum and basepath, got {}",
        *data.unknown);
  }
  const std::string location = data.location.value_or("");
  const fs::path path(location);
  const bool is_inside = !location.empty() && !path.is_absolute() &&
                         location.find('\0') == std::string::npos &&
                         std::ranges::find(path, fs::path("..")) == path.end();
  // pb.f11
  if (!is_inside) {
    fail(ErrorKind::format, "pb.f11", name,
         "the location of external data must be a relative path without .., got {}",
         location.empty() ? "an empty one" : location);
  }
  return *data.location;
}

// Where the path leads. Links must not leave the folder of the file that names it.
fs::path require_inside(const fs::path& path, const fs::path& folder, const std::string& name) {
  std::error_code error;
  fs::path target = fs::canonical(path, error);
  // file.f1
  if (error) {
    fail(ErrorKind::file, "file.f1", name, "its external data, {}, cannot be opened: {}",
         path.native(), errno_text(error.value()));
  }
  const fs::path root = fs::canonical(folder, error);
  const auto [end, ignored] = std::ranges::mismatch(root, target);
  // pb.f11
  if (error || end != root.end()) {
    fail(ErrorKind::format, "pb.f11", name,
         "external data must be in the folder of the file that names it, or below (copy it there), "
         "got {}, which leads to {}",
         path.native(), target.native());
  }
  return target;
}

void require_own_file(const struct stat& status, const fs::path& path,
                      const FormatReading& reading) {
  // pb.f11
  if (!S_ISREG(status.st_mode) || status.st_nlink > 1) {
    fail(ErrorKind::format, "pb.f11", reading.name,
         "external data must be in a regular file of one name (copy it), got {}, {}", path.native(),
         S_ISREG(status.st_mode) ? "a file of several hard links" : kind_words(status.st_mode));
  }
  struct stat own {};
  // pb.f11
  if (system_files().stat(reading.path, own) == 0 && is_same_file(own, status)) {
    fail(ErrorKind::format, "pb.f11", reading.name,
         "external data must be in another file than the one that names it, got {}", path.native());
  }
}

std::int64_t read_integer(const std::string& text, std::string_view key, const std::string& name) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  // pb.f11
  if (error != std::errc{} || stop != end || value < 0) {
    fail(ErrorKind::format, "pb.f11", name,
         "the {} of external data must be an integer from 0 to 2^63 - 1, got {}", key,
         text.empty() ? "an empty text" : text);
  }
  return value;
}

// Without a length the data go to the end of the file.
ByteRange require_range(const ExternalData& data, std::int64_t bytes, std::int64_t file_size,
                        const fs::path& path, const std::string& name) {
  const std::int64_t begin = data.offset ? read_integer(*data.offset, "offset", name) : 0;
  const std::int64_t left = std::max<std::int64_t>(file_size - begin, 0);
  const std::int64_t length = data.length ? read_integer(*data.length, "length", name) : left;
  // pb.f11
  if (length != bytes) {
    fail(ErrorKind::format, "pb.f11", name,
         "external data must have the {} bytes that dims and data_type need, got {}{}", bytes,
         length, data.length ? "" : " to the end of " + path.native());
  }
  // pb.f11
  if (begin > file_size || length > left) {
    fail(ErrorKind::format, "pb.f11", name,
         "external data must lie in its file, {} of {} bytes, got {} bytes from byte {} on",
         path.native(), file_size, length, begin);
  }
  return {.begin = begin, .end = begin + length};
}

}  // namespace

ExternalRange external_range(const ExternalData& data, std::int64_t bytes,
                             const FormatReading& reading) {
  const std::string& location = require_location(data, reading.name);
  // pb.f11
  if (reading.path.empty()) {
    fail(ErrorKind::format, "pb.f11", reading.name,
         "external data must be beside a file that is named, got a pipe");
  }
  const fs::path folder = directory_of(reading.path);
  const fs::path path = reading.path.parent_path() / location;
  const fs::path target = require_inside(path, folder, reading.name);
  File file = open_unfollowed(target, O_RDONLY);
  // file.f1
  if (file.descriptor() < 0) {
    fail(ErrorKind::file, "file.f1", reading.name, "its external data, {}, cannot be opened: {}",
         path.native(), errno_text(errno));
  }
  const struct stat status = file.status();
  require_own_file(status, path, reading);
  const ByteRange range = require_range(data, bytes, status.st_size, path, reading.name);
  return {.location = location,
          .path = path,
          .file = std::make_shared<FileSource>(std::move(file)),
          .range = range};
}

}  // namespace tscatter
