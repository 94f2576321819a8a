#include "tscatter/io/formats/pb_tensor.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file_source.hpp"
#include "tscatter/io/formats/onnx_types.hpp"
#include "tscatter/io/formats/pb_values.hpp"
#include "tscatter/io/formats/protobuf_reader.hpp"

namespace tscatter {
namespace {

constexpr std::array pb_tensor_rule_rows{
    Rule{"pb.f1",
         "an ONNX file is made of whole fields of wire types 0, 1, 2 and 5, with numbers from 1 to "
         "2^29 - 1, and of varints of at most 10 bytes that fit 64 bits"},
    Rule{"pb.f2", "each of its known fields has its wire type, and names have at most 1024 bytes"},
    Rule{"pb.f3", "a tensor has a data_type, not of strings and of at least 8 bits"},
    Rule{"pb.f4",
         "it has at most 64 dims, each >= 0, of at most 2^63 - 1 elements and bytes together"},
    Rule{"pb.f5", "it holds its values itself, and whole: no external data, no segment"},
    Rule{"pb.f6", "its values are in one field, raw_data or that of its data_type"},
    Rule{"pb.f7", "it has as many values as its dims say"},
    Rule{"pb.f8", "each value fits the data_type"},
    Rule{"pb.f9", "an ONNX file has at most 2^31 - 1 bytes, as protocol buffers do"},
    Rule{"pb.f10", "a tensor that is written as ONNX has one of its dtypes"},
};

// What the fields say. Of what is given twice the last counts, dims and values add up.
struct TensorMessage {
  Shape dims = {};
  std::optional<std::int64_t> data_type = {};
  bool is_external = false;
  std::optional<ByteRange> raw = {};
  std::optional<TensorField> typed = {};  // the field that has values
  std::int64_t values = 0;                // in it
  std::int64_t parts = 0;                 // how often it stands there
  ByteRange packed = {};                  // the values of its last part
};

// First reading: what is there. Holds no values.
class TensorSurvey {
 public:
  TensorSurvey(const Source& file, const std::string& name) : file_{file}, name_{name} {}

  TensorMessage read() {
    ProtobufReader fields(file_, {.begin = 0, .end = file_.size()}, name_);
    while (const auto field = fields.next()) note(*field);
    return std::move(message_);
  }

 private:
  void note(const ProtobufField& field) {
    if (field.number > std::uint64_t{0xFF}) return;
    switch (const auto known = static_cast<TensorField>(field.number)) {
      case TensorField::dims: return note_dims(field);
      case TensorField::data_type: message_.data_type = integer(field, "data_type"); return;
      case TensorField::segment: refuse_segment(field);
      case TensorField::float_data:
      case TensorField::int32_data:
      case TensorField::string_data:
      case TensorField::int64_data:
      case TensorField::double_data:
      case TensorField::uint64_data: return note_values(known, field);
      case TensorField::name: return;
      case TensorField::raw_data:
        require_wire_type(field, WireType::bytes, "raw_data", name_);
        message_.raw = field.content;
        return;
      case TensorField::data_location:
        message_.is_external = integer(field, "data_location") == 1;
        return;
    }
  }

  // As protocol buffers narrow an int32.
  std::int64_t integer(const ProtobufField& field, std::string_view what) const {
    require_wire_type(field, WireType::varint, what, name_);
    return static_cast<std::int32_t>(field.value);
  }

  void note_dims(const ProtobufField& field) {
    if (field.type == WireType::varint) return add_dim(field.value, field.at);
    require_wire_type(field, WireType::bytes, "dims", name_);
    ProtobufReader packed(file_, field.content, name_);
    while (!packed.is_at_end()) {
      const std::int64_t at = packed.at();
      add_dim(packed.varint(), at);
    }
  }

  void add_dim(std::uint64_t dim, std::int64_t at) {
    const auto size = static_cast<std::int64_t>(dim);
    // pb.f4
    if (size < 0) {
      fail(ErrorKind::format, "pb.f4", name_, "a dim must be >= 0, got {} at byte {}", size, at);
    }
    // pb.f4
    if (message_.dims.size() == max_rank) {
      fail(ErrorKind::format, "pb.f4", name_,
           "a tensor must have at most {} dims, got another at byte {}", max_rank, at);
    }
    message_.dims.push_back(size);
  }

  [[noreturn]] void refuse_segment(const ProtobufField& field) const {
    // pb.f5
    fail(ErrorKind::format, "pb.f5", name_,
         "a tensor must be whole (join its segments), got a segment at byte {}", field.at);
  }

  void note_values(TensorField known, const ProtobufField& field) {
    // pb.f6
    if (message_.typed && *message_.typed != known) {
      fail(ErrorKind::format, "pb.f6", name_,
           "the values must be in one field, got {} beside {} at byte {}", name_of(known),
           name_of(*message_.typed), field.at);
    }
    message_.typed = known;
    message_.values += count_values(file_, known, field, name_);
    message_.packed = field.type == WireType::bytes ? field.content : ByteRange{};
    ++message_.parts;
  }

  const Source& file_;
  const std::string& name_;
  TensorMessage message_;
};

const OnnxType& require_type(const TensorMessage& message, const std::string& name) {
  // pb.f3
  if (!message.data_type) {
    fail(ErrorKind::format, "pb.f3", name,
         "a tensor must have a data_type (models, sequences and optionals are other messages), got "
         "none");
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

// The values are in the file, and in one field.
void require_field(const TensorMessage& message, const OnnxType& type, const std::string& name) {
  // pb.f5
  if (message.is_external) {
    fail(ErrorKind::format, "pb.f5", name,
         "a tensor must hold its values (onnx.external_data_helper.load_external_data_for_tensor "
         "brings them in), got external data");
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

}  // namespace

std::span<const Rule> pb_rules() { return pb_tensor_rule_rows; }

Tensor pb_tensor(const std::shared_ptr<const Source>& file, const FormatReading& reading) {
  const std::string& name = reading.name;
  require_protobuf_size(file->size(), name);
  TensorMessage message = TensorSurvey(*file, name).read();
  const OnnxType& type = require_type(message, name);
  TensorHeader header = header_of(message, type, name);
  require_field(message, type, name);
  require_size(message, header, type, name);
  if (const auto range = range_of_elements(message)) {
    auto elements = std::make_shared<PartSource>(file, range->begin, range->size());
    return {std::move(header), std::move(elements), name};
  }
  auto elements = std::make_shared<Spool>(reading.spool_directory, name);
  spool_values(*file, type, reading, *elements);
  return {std::move(header), std::move(elements), name};
}

}  // namespace tscatter
