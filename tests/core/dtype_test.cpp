#include "tscatter/core/dtype.hpp"

#include <set>

#include "catch.hpp"

namespace tscatter {

TEST_CASE("every dtype is found by its name and its short name, in any case", "[core]") {
  for (const DTypeInfo& row : dtype_table) {
    if (row.dtype == DType::opaque) continue;
    CHECK(dtype_from_name(row.name) == row.dtype);
    CHECK(dtype_from_name(row.short_name) == row.dtype);
  }
  CHECK(dtype_from_name("FLOAT32") == DType::float32);
  CHECK(dtype_from_name("Bf16") == DType::bfloat16);
}

TEST_CASE("what is no dtype's name is not found", "[core]") {
  for (const std::string_view name : {"", "float", "float3", "float321", "f4", "opaque", " f32"}) {
    CHECK_FALSE(dtype_from_name(name).has_value());
  }
}

TEST_CASE("names, short names and descrs are unique in the dtype table", "[core]") {
  std::set<std::string_view> names;
  std::set<std::string_view> descrs;
  for (const DTypeInfo& row : dtype_table) {
    CHECK(names.insert(row.name).second);
    if (row.short_name != row.name) CHECK(names.insert(row.short_name).second);
    CHECK(descrs.insert(row.descr).second);
  }
}

TEST_CASE("an element is a whole number of words", "[core]") {
  for (const DTypeInfo& row : dtype_table) {
    const std::size_t parts = row.kind == DTypeKind::complex ? 2 : 1;
    if (row.dtype != DType::opaque) CHECK(row.size == row.word * parts);
  }
}

TEST_CASE("byte order is no part of a number's dtype", "[core]") {
  const ElementType little = ElementType::of(DType::float32, std::endian::little);
  const ElementType big = ElementType::of(DType::float32, std::endian::big);
  CHECK(same_dtype(little, big));
  CHECK_FALSE(little == big);
  CHECK(little.is_native() != big.is_native());
  CHECK(ElementType::of(DType::int8, std::endian::big).is_native());
}

TEST_CASE("opaque dtypes are the same when their descrs are", "[core]") {
  const ElementType text{.dtype = DType::opaque, .size = 3, .descr = "'|S3'"};
  const ElementType bytes{.dtype = DType::opaque, .size = 3, .descr = "'|V3'"};
  CHECK(same_dtype(text, text));
  CHECK_FALSE(same_dtype(text, bytes));
}

TEST_CASE("a dtype is printed by its name, an opaque one by its descr", "[core]") {
  CHECK(to_string(ElementType::of(DType::bfloat16, std::endian::big)) == "bfloat16");
  CHECK(to_string(ElementType{.dtype = DType::opaque, .size = 8, .descr = "'<M8[ns]'"}) ==
        "<M8[ns]");
  CHECK(to_string(ElementType{.dtype = DType::opaque, .size = 4, .descr = "[('a', '<f4')]"}) ==
        "[('a', '<f4')]");
}

TEST_CASE("is_integer takes the eight integer dtypes only", "[core]") {
  int integers = 0;
  for (const DTypeInfo& row : dtype_table) integers += is_integer(row.dtype) ? 1 : 0;
  CHECK(integers == 8);
  CHECK_FALSE(is_integer(DType::boolean));
  CHECK_FALSE(is_integer(DType::float16));
}

}  // namespace tscatter
