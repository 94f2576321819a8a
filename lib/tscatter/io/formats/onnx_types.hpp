// The data types of ONNX: their numbers, names, our dtypes, and where a TensorProto keeps their
// values. Source: onnx.proto, TensorProto.DataType. Not part of the installed interface.
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
  data_location = 14,
};

struct OnnxType {
  std::int64_t number;
  std::string_view name;
  std::optional<DType> dtype;  // opaque: one byte that is only moved; nullopt: not read
  TensorField field;           // of typed values
};

std::span<const OnnxType> onnx_types();

// nullptr if there is none.
const OnnxType* onnx_type(std::int64_t number);
const OnnxType* onnx_type_of(DType dtype);  // of a numeric dtype; nullptr for an opaque one

// Little-endian elements. REQUIRES: the type has a dtype.
ElementType element_type_of(const OnnxType& type);

}  // namespace tscatter
