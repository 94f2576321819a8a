#include "tscatter/io/formats/safetensors/safetensors_types.hpp"

#include <algorithm>
#include <array>

#include "tscatter/core/float8.hpp"

namespace tscatter {
namespace {

constexpr std::array<SafetensorsType, 22> table{{
    {"BOOL", 8, DType::boolean},
    {"F4", 4, std::nullopt},
    {"F6_E2M3", 6, std::nullopt},
    {"F6_E3M2", 6, std::nullopt},
    {"U8", 8, DType::uint8},
    {"I8", 8, DType::int8},
    {"F8_E5M2", 8, DType::opaque, "float8_e5m2"},
    {"F8_E4M3", 8, DType::opaque, "float8_e4m3fn"},
    {"F8_E8M0", 8, DType::opaque, "float8_e8m0fnu"},
    {"F8_E4M3FNUZ", 8, DType::opaque, "float8_e4m3fnuz"},
    {"F8_E5M2FNUZ", 8, DType::opaque, "float8_e5m2fnuz"},
    {"I16", 16, DType::int16},
    {"U16", 16, DType::uint16},
    {"F16", 16, DType::float16},
    {"BF16", 16, DType::bfloat16},
    {"I32", 32, DType::int32},
    {"U32", 32, DType::uint32},
    {"F32", 32, DType::float32},
    {"C64", 64, DType::complex64},
    {"F64", 64, DType::float64},
    {"I64", 64, DType::int64},
    {"U64", 64, DType::uint64},
}};

template <class Test>
const SafetensorsType* first_type(const Test& test) {
  const auto* const found = std::ranges::find_if(table, test);
  return found == table.end() ? nullptr : found;
}

}  // namespace

const SafetensorsType* safetensors_type(std::string_view name) {
  return first_type([&](const SafetensorsType& each) { return each.name == name; });
}

const SafetensorsType* safetensors_type_of(const ElementType& type) {
  const Float8* const float8 = float8_of(type);
  if (type.dtype == DType::opaque && float8 == nullptr) return nullptr;
  return first_type([&](const SafetensorsType& each) {
    return each.dtype == type.dtype && (float8 == nullptr || each.float8 == float8->name);
  });
}

std::optional<ElementType> element_type_of(const SafetensorsType& type) {
  if (!type.dtype) return std::nullopt;
  if (*type.dtype == DType::opaque) return element_type_of(*float8_named(type.float8));
  return ElementType::of(*type.dtype, std::endian::little);
}

int safetensors_rank(std::string_view name) {
  const SafetensorsType* const type = safetensors_type(name);
  return type == nullptr ? -1 : static_cast<int>(type - table.data());
}

}  // namespace tscatter
