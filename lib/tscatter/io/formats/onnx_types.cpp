#include "tscatter/io/formats/onnx_types.hpp"

#include <algorithm>
#include <array>

namespace tscatter {
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
    {17, "FLOAT8E4M3FN", DType::opaque, int32_data},
    {18, "FLOAT8E4M3FNUZ", DType::opaque, int32_data},
    {19, "FLOAT8E5M2", DType::opaque, int32_data},
    {20, "FLOAT8E5M2FNUZ", DType::opaque, int32_data},
    {21, "UINT4", std::nullopt, int32_data},
    {22, "INT4", std::nullopt, int32_data},
    {23, "FLOAT4E2M1", std::nullopt, int32_data},
    {24, "FLOAT8E8M0", DType::opaque, int32_data},
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

const OnnxType* onnx_type_of(DType dtype) {
  if (dtype == DType::opaque) return nullptr;
  const auto* const found = std::ranges::find(table, std::optional(dtype), &OnnxType::dtype);
  return found == table.end() ? nullptr : found;
}

ElementType element_type_of(const OnnxType& type) {
  if (*type.dtype != DType::opaque) return ElementType::of(*type.dtype, std::endian::little);
  return {.dtype = DType::opaque, .size = 1, .byte_order = std::endian::little, .descr = "'|V1'"};
}

}  // namespace tscatter
