// The element types: one table of the numeric dtypes, and ElementType, which adds what a file
// specifies (byte order) and the opaque dtypes (strings, dates, records, float8, …), which are only
// moved.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tscatter {

enum class DType : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
  opaque,
};

enum class DTypeKind : std::uint8_t {
  boolean,
  signed_integer,
  unsigned_integer,
  real,
  complex,
  opaque
};

struct DTypeInfo {
  DType dtype;
  std::string_view name;        // as NumPy spells it
  std::string_view short_name;  // as a typed literal may spell it
  std::string_view
      descr;         // .npy type code without the byte order mark; bfloat16 as ml_dtypes writes it
  std::size_t size;  // bytes of one element; 0 for opaque: it depends on the descr
  std::size_t word;  // bytes that are reversed together when the byte order changes
  DTypeKind kind;
};

inline constexpr std::array<DTypeInfo, 16> dtype_table{{
    {DType::boolean, "bool", "bool", "b1", 1, 1, DTypeKind::boolean},
    {DType::int8, "int8", "i8", "i1", 1, 1, DTypeKind::signed_integer},
    {DType::int16, "int16", "i16", "i2", 2, 2, DTypeKind::signed_integer},
    {DType::int32, "int32", "i32", "i4", 4, 4, DTypeKind::signed_integer},
    {DType::int64, "int64", "i64", "i8", 8, 8, DTypeKind::signed_integer},
    {DType::uint8, "uint8", "u8", "u1", 1, 1, DTypeKind::unsigned_integer},
    {DType::uint16, "uint16", "u16", "u2", 2, 2, DTypeKind::unsigned_integer},
    {DType::uint32, "uint32", "u32", "u4", 4, 4, DTypeKind::unsigned_integer},
    {DType::uint64, "uint64", "u64", "u8", 8, 8, DTypeKind::unsigned_integer},
    {DType::float16, "float16", "f16", "f2", 2, 2, DTypeKind::real},
    {DType::bfloat16, "bfloat16", "bf16", "V2", 2, 2, DTypeKind::real},
    {DType::float32, "float32", "f32", "f4", 4, 4, DTypeKind::real},
    {DType::float64, "float64", "f64", "f8", 8, 8, DTypeKind::real},
    {DType::complex64, "complex64", "c64", "c8", 8, 4, DTypeKind::complex},
    {DType::complex128, "complex128", "c128", "c16", 16, 8, DTypeKind::complex},
    {DType::opaque, "opaque", "opaque", "", 0, 1, DTypeKind::opaque},
}};

namespace detail {
// Whether the table has a row for each enumerator, in their order.
template <class Table, class Row, class Enum>
constexpr bool in_enum_order(const Table& table, Enum Row::*enumerator) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].*enumerator) != i) return false;
  }
  return true;
}
}  // namespace detail
static_assert(detail::in_enum_order(dtype_table, &DTypeInfo::dtype),
              "dtype_table is indexed by DType");

constexpr const DTypeInfo& info(DType dtype) {
  return dtype_table[static_cast<std::size_t>(dtype)];
}

constexpr bool is_integer(DType dtype) {
  return info(dtype).kind == DTypeKind::signed_integer ||
         info(dtype).kind == DTypeKind::unsigned_integer;
}

// "float32" or "f32", without regard to case; nullopt when no numeric dtype has that name.
std::optional<DType> dtype_from_name(std::string_view name);

// The long and short names of the numeric dtypes.
std::vector<std::string> dtype_names();

// What a message suggests for a name that is not a dtype: " (use float32)" for "<f4" and
// "np.float32", " (nearest: int32)" for "imt32". If nothing is near: `otherwise` in parentheses, or
// nothing if that is empty.
std::string dtype_hint(std::string_view name, std::string_view otherwise = {});

// " (i8 is int8 here, NumPy's i8 is int64)" for the short name "i8"; "" where NumPy's type codes do
// not differ.
std::string type_code_hint(std::string_view name);

// The dtype of one element and its layout. Use `same_dtype` to compare dtypes: byte order is not
// part of a numeric dtype, but it is part of an opaque one (inside its descr).
struct ElementType {
  DType dtype = DType::float32;
  std::size_t size = 4;                          // bytes
  std::endian byte_order = std::endian::native;  // meaningful where word > 1
  std::string descr;  // opaque only: Python text of the descr, as NumPy would write it

  static ElementType of(DType dtype, std::endian byte_order = std::endian::native);

  std::size_t word() const { return info(dtype).word; }
  bool is_native() const { return word() == 1 || byte_order == std::endian::native; }

  friend bool operator==(const ElementType&, const ElementType&) = default;
};

bool same_dtype(const ElementType& a, const ElementType& b);

// "float32"; for an opaque dtype its descr, a plain one without quotes: "<M8[ns]", "[('a',
// '<f4')]".
std::string to_string(const ElementType& type);

}  // namespace tscatter
