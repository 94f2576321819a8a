#include "tscatter/io/formats/onnx/onnx_types.hpp"

#include <algorithm>
#include <array>

#include "tscatter/core/float8.hpp"

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
