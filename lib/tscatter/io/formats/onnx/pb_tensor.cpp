#include "tscatter/io/formats/onnx/pb_tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file_source.hpp"
#include "tscatter/io/formats/format_rows.hpp"
#include "tscatter/io/formats/onnx/onnx_types.hpp"
#include "tscatter/io/formats/onnx/pb_external.hpp"
#include "tscatter/io/formats/onnx/pb_message.hpp"
#include "tscatter/io/formats/onnx/pb_values.hpp"
#include "tscatter/io/formats/onnx/protobuf_reader.hpp"
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

}  // namespace tscatter
