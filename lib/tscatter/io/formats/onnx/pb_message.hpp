// What a TensorProto says: its data type, its fields and its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/dtype.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/io/files/spool.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/onnx/protobuf.hpp"

namespace tscatter {

// ---- The data types of ONNX: their numbers, names, our dtypes, and where a TensorProto keeps
// their values. Source: onnx.proto, TensorProto.DataType.

// The fields of a TensorProto, by their numbers.
enum class TensorField : std::uint8_t {
  dims = 1,
  data_type = 2,
  segment = 3,
  float_data = 4,
  int32_data = 5,
  string_data = 6,
  int64_data = 7,
  name = 8,
  raw_data = 9,
  double_data = 10,
  uint64_data = 11,
  external_data = 13,
  data_location = 14,
};

struct OnnxType {
  std::int64_t number;
  std::string_view name;
  std::optional<DType> dtype;    // opaque: a float8; nullopt: not read
  TensorField field;             // of typed values
  std::string_view float8 = {};  // its name, of an opaque one
};

std::span<const OnnxType> onnx_types();

// nullptr if there is none.
const OnnxType* onnx_type(std::int64_t number);
const OnnxType* onnx_type_of(const ElementType& type);  // of any byte order

// Little-endian elements. REQUIRES: the type has a dtype.
ElementType element_type_of(const OnnxType& type);

// ---- What the fields of a TensorProto say, without its values.

// Where values are that another file holds, as the message spells it.
struct ExternalData {
  std::optional<std::string> location = {};
  std::optional<std::string> offset = {};
  std::optional<std::string> length = {};
  std::optional<std::string> unknown = {};  // a key that is not ONNX's
};

// If a field is repeated, the last one counts; repeated dims and values are appended.
struct TensorMessage {
  Shape dims = {};
  std::optional<std::int64_t> data_type = {};
  bool is_external = false;
  ExternalData external = {};
  std::optional<ByteRange> raw = {};
  std::optional<TensorField> typed = {};  // the field that has values
  std::int64_t values = 0;                // in it
  std::int64_t value_bytes = 0;           // that they take in the file
  std::int64_t parts = 0;                 // how often it stands there
  ByteRange packed = {};                  // the values of its last part
};

// The message in a range of the file. Throws Error (format, pb.f1, pb.f2, pb.f4 to pb.f6). `name`
// is used in messages.
TensorMessage tensor_message(const Source& file, ByteRange range, const std::string& name);

// Appends the dims that a field has, packed or alone. Throws Error (format, pb.f1, pb.f2, pb.f4).
void add_dims(const Source& file, const ProtobufField& field, Shape& dims, const std::string& name);

// ---- The values of a TensorProto in the field of their type, such as int32_data: counted without
// being held, then spooled as elements.

// "int32_data"; of a field of values or raw_data.
std::string_view name_of(TensorField field);

// The bytes that a value takes in the file; 0 if they vary.
std::size_t value_bytes(TensorField field);

// 2 for a complex element, else 1.
std::int64_t values_of_element(const ElementType& type);

// How many values stand in one field of a TensorProto, packed or alone. Throws Error (format, pb.f1
// and pb.f2).
std::int64_t count_values(const Source& file, TensorField known, const ProtobufField& field,
                          const std::string& name);

// Appends the values of type.field, in all parts of the message, as little-endian elements. Throws
// Error (format, pb.f1, pb.f2 and pb.f8), and Cancelled when *reading.stop becomes true.
void spool_values(const Source& file, ByteRange message, const OnnxType& type,
                  const FormatReading& reading, Spool& into);

}  // namespace tscatter
