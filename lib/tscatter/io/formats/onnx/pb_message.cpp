#include "tscatter/io/formats/onnx/pb_message.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/float8.hpp"

namespace tscatter {
namespace {

void add_dim(std::uint64_t dim, std::int64_t at, Shape& dims, const std::string& name) {
  const auto size = static_cast<std::int64_t>(dim);
  // pb.f4
  if (size < 0) {
    fail(ErrorKind::format, "pb.f4", name, "a dim must be >= 0, got {} at byte {}", size, at);
  }
  // pb.f4
  if (dims.size() == max_rank) {
    fail(ErrorKind::format, "pb.f4", name,
         "a tensor must have at most {} dims, got another at byte {}", max_rank, at);
  }
  dims.push_back(size);
}

// First reading: what is there. Holds no values.
class TensorSurvey {
 public:
  TensorSurvey(const Source& file, const std::string& name) : file_{file}, name_{name} {}

  TensorMessage read(ByteRange range) {
    ProtobufReader fields(file_, range, name_);
    while (const auto field = fields.next()) note(*field);
    return std::move(message_);
  }

 private:
  void note(const ProtobufField& field) {
    if (field.number > std::uint64_t{0xFF}) return;
    switch (const auto known = static_cast<TensorField>(field.number)) {
      case TensorField::dims: return add_dims(file_, field, message_.dims, name_);
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
      case TensorField::external_data: return note_external(field);
      case TensorField::data_location: return note_location(field);
    }
  }

  // As protocol buffers narrow an int32.
  std::int64_t integer(const ProtobufField& field, std::string_view what) const {
    require_wire_type(field, WireType::varint, what, name_);
    return static_cast<std::int32_t>(field.value);
  }

  // A value that is not known is passed over, as protocol buffers do.
  void note_location(const ProtobufField& field) {
    const std::int64_t location = integer(field, "data_location");
    if (location == 0 || location == 1) message_.is_external = location == 1;
  }

  void note_external(const ProtobufField& field) {
    enum : std::uint64_t { key_field = 1, value_field = 2 };
    require_wire_type(field, WireType::bytes, "external_data", name_);
    ProtobufReader entry(file_, field.content, name_);
    std::string key;
    std::string value;
    while (const auto part = entry.next()) {
      if (part->number == key_field) key = text_of_field(file_, *part, "a key", name_);
      if (part->number == value_field) value = text_of_field(file_, *part, "a value", name_);
    }
    ExternalData& external = message_.external;
    if (key == "location") external.location = value;
    if (key == "offset") external.offset = value;
    if (key == "length") external.length = value;
    if (!is_external_key(key)) external.unknown = std::move(key);
  }

  // onnx.external_data_helper reads the last two, and does not use them.
  static bool is_external_key(std::string_view key) {
    constexpr std::array<std::string_view, 5> keys{"location", "offset", "length", "checksum",
                                                   "basepath"};
    return std::ranges::find(keys, key) != keys.end();
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
    message_.value_bytes += field.content.size();
    message_.packed = field.type == WireType::bytes ? field.content : ByteRange{};
    ++message_.parts;
  }

  const Source& file_;
  const std::string& name_;
  TensorMessage message_;
};

}  // namespace

void add_dims(const Source& file, const ProtobufField& field, Shape& dims,
              const std::string& name) {
  if (field.type == WireType::varint) return add_dim(field.value, field.at, dims, name);
  require_wire_type(field, WireType::bytes, "dims", name);
  ProtobufReader packed(file, field.content, name);
  while (!packed.is_at_end()) {
    const std::int64_t at = packed.at();
    add_dim(packed.varint(), at, dims, name);
  }
}

TensorMessage tensor_message(const Source& file, ByteRange range, const std::string& name) {
  return TensorSurvey(file, name).read(range);
}

namespace {

// The wire type of a value that stands alone.
WireType wire_type_of(TensorField known) {
  switch (value_bytes(known)) {
    case sizeof(float): return WireType::fixed32;
    case sizeof(double): return WireType::fixed64;
    default: return known == TensorField::string_data ? WireType::bytes : WireType::varint;
  }
}

class ValueReader {
 public:
  ValueReader(const OnnxType& type, const FormatReading& reading, Spool& into)
      : type_{type}, reading_{reading}, into_{into} {}

  void read(const Source& file, ByteRange message) {
    ProtobufReader fields(file, message, reading_.name);
    while (const auto field = fields.next()) {
      if (field->number == static_cast<std::uint64_t>(type_.field)) take(file, *field);
    }
    flush();
  }

 private:
  void take(const Source& file, const ProtobufField& field) {
    if (field.type == WireType::varint) return append(field.value, field.at);
    const std::size_t bytes = value_bytes(type_.field);
    ProtobufReader values(file, field.content, reading_.name);
    while (!values.is_at_end()) {
      const std::int64_t at = values.at();
      append(bytes > 0 ? values.little_endian(bytes) : values.varint(), at);
    }
  }

  void append(std::uint64_t value, std::int64_t at) {
    constexpr std::size_t piece = std::size_t{64} * 1024;
    constexpr unsigned bits = 8;
    if (type_.field == TensorField::int32_data)
      value = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
    if (!fits(value)) refuse(value, at);
    for (unsigned i = 0; i < size_; ++i)
      buffer_.push_back(static_cast<std::byte>(value >> (bits * i) & 0xFFU));
    if (buffer_.size() >= piece) flush();
  }

  bool fits(std::uint64_t value) const {
    if (size_ == sizeof(std::uint64_t) || value_bytes(type_.field) > 0) return true;
    const auto number = static_cast<std::int64_t>(value);
    const std::int64_t end = std::int64_t{1} << (8 * size_ - (is_signed() ? 1 : 0));
    if (*type_.dtype == DType::boolean) return value <= 1;
    return number >= (is_signed() ? -end : 0) && number < end;
  }

  bool is_signed() const { return info(*type_.dtype).kind == DTypeKind::signed_integer; }

  [[noreturn]] void refuse(std::uint64_t value, std::int64_t at) const {
    const bool is_unsigned = type_.field == TensorField::uint64_data;
    // pb.f8
    fail(ErrorKind::format, "pb.f8", reading_.name, "a value in {} must fit {}, got {} at byte {}",
         name_of(type_.field), type_.name,
         is_unsigned ? std::to_string(value) : std::to_string(static_cast<std::int64_t>(value)),
         at);
  }

  void flush() {
    check_stop(reading_.stop);
    into_.append(buffer_);
    buffer_.clear();
  }

  const OnnxType& type_;
  const FormatReading& reading_;
  Spool& into_;
  std::size_t size_ = element_type_of(type_).word() > 1 ? element_type_of(type_).word() : 1;
  std::vector<std::byte> buffer_;
};

}  // namespace

std::string_view name_of(TensorField field) {
  switch (field) {
    case TensorField::dims: return "dims";
    case TensorField::data_type: return "data_type";
    case TensorField::segment: return "segment";
    case TensorField::float_data: return "float_data";
    case TensorField::int32_data: return "int32_data";
    case TensorField::string_data: return "string_data";
    case TensorField::int64_data: return "int64_data";
    case TensorField::name: return "name";
    case TensorField::raw_data: return "raw_data";
    case TensorField::double_data: return "double_data";
    case TensorField::uint64_data: return "uint64_data";
    case TensorField::external_data: return "external_data";
    case TensorField::data_location: return "data_location";
  }
  unreachable();
}

std::size_t value_bytes(TensorField field) {
  if (field == TensorField::float_data) return sizeof(float);
  return field == TensorField::double_data ? sizeof(double) : 0;
}

std::int64_t values_of_element(const ElementType& type) {
  return info(type.dtype).kind == DTypeKind::complex ? 2 : 1;
}

std::int64_t count_values(const Source& file, TensorField known, const ProtobufField& field,
                          const std::string& name) {
  const bool is_packed = field.type == WireType::bytes && known != TensorField::string_data;
  if (!is_packed) {
    require_wire_type(field, wire_type_of(known), name_of(known), name);
    return 1;
  }
  const auto bytes = static_cast<std::int64_t>(value_bytes(known));
  // pb.f2
  if (bytes > 0 && field.content.size() % bytes != 0) {
    fail(ErrorKind::format, "pb.f2", name, "{} must be values of {} bytes, got {} bytes at byte {}",
         name_of(known), bytes, field.content.size(), field.at);
  }
  if (bytes > 0) return field.content.size() / bytes;
  ProtobufReader values(file, field.content, name);
  std::int64_t count = 0;
  for (; !values.is_at_end(); ++count) values.varint();
  return count;
}

void spool_values(const Source& file, ByteRange message, const OnnxType& type,
                  const FormatReading& reading, Spool& into) {
  ValueReader(type, reading, into).read(file, message);
}

namespace {

using enum TensorField;

constexpr std::array<OnnxType, 28> table{{
    {1, "FLOAT", DType::float32, float_data},
    {2, "UINT8", DType::uint8, int32_data},
    {3, "INT8", DType::int8, int32_data},
    {4, "UINT16", DType::uint16, int32_data},
    {5, "INT16", DType::int16, int32_data},
    {6, "INT32", DType::int32, int32_data},
    {7, "INT64", DType::int64, int64_data},
    {8, "STRING", std::nullopt, string_data},
    {9, "BOOL", DType::boolean, int32_data},
    {10, "FLOAT16", DType::float16, int32_data},
    {11, "DOUBLE", DType::float64, double_data},
    {12, "UINT32", DType::uint32, uint64_data},
    {13, "UINT64", DType::uint64, uint64_data},
    {14, "COMPLEX64", DType::complex64, float_data},
    {15, "COMPLEX128", DType::complex128, double_data},
    {16, "BFLOAT16", DType::bfloat16, int32_data},
    {17, "FLOAT8E4M3FN", DType::opaque, int32_data, "float8_e4m3fn"},
    {18, "FLOAT8E4M3FNUZ", DType::opaque, int32_data, "float8_e4m3fnuz"},
    {19, "FLOAT8E5M2", DType::opaque, int32_data, "float8_e5m2"},
    {20, "FLOAT8E5M2FNUZ", DType::opaque, int32_data, "float8_e5m2fnuz"},
    {21, "UINT4", std::nullopt, int32_data},
    {22, "INT4", std::nullopt, int32_data},
    {23, "FLOAT4E2M1", std::nullopt, int32_data},
    {24, "FLOAT8E8M0", DType::opaque, int32_data, "float8_e8m0fnu"},
    {25, "UINT2", std::nullopt, int32_data},
    {26, "INT2", std::nullopt, int32_data},
    {27, "FLOAT6E2M3", std::nullopt, int32_data},
    {28, "FLOAT6E3M2", std::nullopt, int32_data},
}};

}  // namespace

std::span<const OnnxType> onnx_types() { return table; }

const OnnxType* onnx_type(std::int64_t number) {
  const auto* const found = std::ranges::find(table, number, &OnnxType::number);
  return found == table.end() ? nullptr : found;
}

const OnnxType* onnx_type_of(const ElementType& type) {
  const Float8* const float8 = float8_of(type);
  if (type.dtype == DType::opaque && float8 == nullptr) return nullptr;
  const auto* const found = std::ranges::find_if(table, [&](const OnnxType& each) {
    return each.dtype == type.dtype && (float8 == nullptr || each.float8 == float8->name);
  });
  return found == table.end() ? nullptr : found;
}

ElementType element_type_of(const OnnxType& type) {
  if (*type.dtype == DType::opaque) return element_type_of(*float8_named(type.float8));
  return ElementType::of(*type.dtype, std::endian::little);
}

}  // namespace tscatter
