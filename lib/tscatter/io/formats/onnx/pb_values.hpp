// The values of a TensorProto in the field of their type, such as int32_data: counted without being
// held, then spooled as elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tscatter/io/files/spool.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/onnx/onnx_types.hpp"
#include "tscatter/io/formats/onnx/protobuf_reader.hpp"

namespace tscatter {

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
