#include "tscatter/io/formats/onnx/pb_values.hpp"

#include <limits>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/unreachable.hpp"

namespace tscatter {
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

}  // namespace tscatter
