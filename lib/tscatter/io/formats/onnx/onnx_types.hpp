// The data types of ONNX: their numbers, names, our dtypes, and where a TensorProto keeps their
// values. Source: onnx.proto, TensorProto.DataType.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tscatter/core/dtype.hpp"

namespace tscatter {

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

}  // namespace tscatter
