#include "tscatter/io/formats/onnx/pb_message.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/onnx/pb_values.hpp"

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

}  // namespace tscatter
