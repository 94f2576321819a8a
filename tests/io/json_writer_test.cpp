#include <algorithm>
#include <cstring>
#include <random>

#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"

namespace tscatter {
namespace {

std::string json_text(const Tensor& tensor, JsonForm form) {
  std::string text;
  write_json(tensor, form, [&](std::string_view piece) { text += piece; });
  return text;
}

Tensor tensor_with(const TensorHeader& header, std::string_view bytes) {
  return {header, owned_source(std::vector<char>(bytes.begin(), bytes.end()))};
}

Tensor read_back(const Tensor& tensor) {
  return json_tensor(json_text(tensor, JsonForm::object), {.name = "back", .dtype = std::nullopt});
}

// Random bytes; bools are 0 or 1, and NaNs have the payload that JSON gives them.
std::string random_bytes(DType dtype, std::size_t count) {
  std::mt19937_64 random(20261121);
  std::string bytes;
  for (std::size_t i = 0; i < count * info(dtype).size; ++i) {
    bytes += static_cast<char>(dtype == DType::boolean ? random() % 2 : random() % 256);
  }
  return bytes;
}

// What reads back from the text of `bytes`, read as `dtype`, is the same text.
void check_round_trip(DType dtype, const Shape& shape, std::string_view bytes) {
  const Tensor tensor =
      tensor_with({.type = ElementType::of(dtype, std::endian::little), .shape = shape}, bytes);
  const Tensor back = read_back(tensor);
  CHECK(back.header() == tensor.header());
  CHECK(json_text(back, JsonForm::object) == json_text(tensor, JsonForm::object));
  if (info(dtype).kind != DTypeKind::real && info(dtype).kind != DTypeKind::complex) {
    CHECK(content(back) == content(tensor));
  }
}

}  // namespace

TEST_CASE("all float16 and bfloat16 values read back from their text", "[io]") {
  for (const auto& [dtype, infinity] :
       {std::pair{DType::float16, 0x7C00U}, {DType::bfloat16, 0x7F80U}}) {
    std::vector<std::uint16_t> all(65536);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
    const Tensor tensor({.type = ElementType::of(dtype), .shape = {256, 256}}, owned_source(all));
    std::vector<std::uint16_t> back(all.size());
    const std::string bytes = native_content(read_back(tensor));
    REQUIRE(bytes.size() == 2 * back.size());
    std::memcpy(back.data(), bytes.data(), bytes.size());
    int wrong = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_nan = (all[i] & 0x7FFFU) > infinity;
      const bool is_right = is_nan ? (back[i] & 0x7FFFU) > infinity : back[i] == all[i];
      if (!is_right) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("every dtype reads back unchanged from its text", "[io]") {
  for (const DTypeInfo& row : dtype_table) {
    if (row.dtype == DType::opaque) continue;
    INFO(row.name);
    check_round_trip(row.dtype, {5, 7, 6}, random_bytes(row.dtype, 210));
    check_round_trip(row.dtype, {}, random_bytes(row.dtype, 1));
    check_round_trip(row.dtype, {0, 3}, "");
    check_round_trip(row.dtype, {2, 0}, "");
  }
}

TEST_CASE("finite floats of every size read back to the bit", "[io]") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    const std::size_t size = info(dtype).size;
    std::string bytes = random_bytes(dtype, 20000);
    // Exponents below the largest: no NaN, no infinity.
    for (std::size_t i = size - 1; i < bytes.size(); i += size) bytes[i] &= static_cast<char>(0xBF);
    const Tensor tensor =
        tensor_with({.type = ElementType::of(dtype, std::endian::little), .shape = {20000}}, bytes);
    CHECK(std::ranges::equal(content(read_back(tensor)), bytes));
  }
}

TEST_CASE("byte order and memory order do not show in the text", "[io]") {
  const std::string little("\1\0\2\0\3\0\4\0\5\0\6\0", 12);
  const std::string big("\0\1\0\4\0\2\0\5\0\3\0\6", 12);
  const TensorHeader c{.type = ElementType::of(DType::int16, std::endian::little), .shape = {2, 3}};
  const TensorHeader fortran{.type = ElementType::of(DType::int16, std::endian::big),
                             .shape = {2, 3},
                             .order = MemoryOrder::fortran};
  CHECK(json_text(tensor_with(c, little), JsonForm::nested) == "[[1, 2, 3],\n [4, 5, 6]]\n");
  CHECK(json_text(tensor_with(fortran, big), JsonForm::nested) == "[[1, 2, 3],\n [4, 5, 6]]\n");
}

TEST_CASE("the text of each kind of value", "[io]") {
  const auto shown = [](std::string_view json, DType dtype) {
    return json_text(json_tensor(json, {.name = "x", .dtype = dtype}), JsonForm::nested);
  };
  CHECK(shown("[1, 0.1, -0.0, 1e20]", DType::float64) == "[1.0, 0.1, -0.0, 1e+20]\n");
  CHECK(shown("[0.1, 65504]", DType::float16) == "[0.1, 65500.0]\n");
  CHECK(shown("[\"NaN\", \"Infinity\", \"-Infinity\"]", DType::float32) ==
        "[\"NaN\", \"Infinity\", \"-Infinity\"]\n");
  CHECK(shown("[true, false]", DType::boolean) == "[true, false]\n");
  CHECK(shown("[[1, -2.5]]", DType::complex64) == "[[1.0, -2.5]]\n");
  CHECK(shown("18446744073709551615", DType::uint64) == "18446744073709551615\n");
  CHECK(shown("[]", DType::int8) == "[]\n");
}

TEST_CASE("a preview is shortened beyond 1000 elements, as NumPy's is", "[io]") {
  const auto preview = [](Shape shape) {
    const auto count = static_cast<std::size_t>(element_count(shape));
    const TensorHeader header{.type = ElementType::of(DType::uint8), .shape = std::move(shape)};
    return json_text(tensor_with(header, std::string(count, '\1')), JsonForm::preview);
  };
  CHECK(preview({1001}) == "[1, 1, 1, ..., 1, 1, 1]\n");
  CHECK_THAT(preview({1000}), !contains("..."));
  CHECK(preview({6, 200}).starts_with("[[1, 1, 1, ..., 1, 1, 1],\n [1"));
  CHECK_THAT(preview({7, 200}), contains("],\n ...,\n ["));
}

TEST_CASE("JsonOutput writes the object form when the result is whole", "[io]") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "out.json";
  const auto open = [&] { return std::make_unique<OutputFile>(path, Durability::kill); };
  JsonOutput output(open, "out.json", JsonForm::object, directory.path());
  const TensorHeader header{.type = ElementType::of(DType::uint8), .shape = {2}};
  output.begin(header, SpanSource({})).write(0, bytes_of("AB"));
  CHECK_FALSE(std::filesystem::exists(path));
  output.commit();
  CHECK(read_file(path) == "{\"dtype\": \"uint8\", \"shape\": [2], \"data\": [65, 66]}\n");
}

}  // namespace tscatter
