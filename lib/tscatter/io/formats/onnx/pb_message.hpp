// What the fields of a TensorProto say, without its values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/io/formats/onnx/onnx_types.hpp"
#include "tscatter/io/formats/onnx/protobuf_reader.hpp"

namespace tscatter {

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

}  // namespace tscatter
