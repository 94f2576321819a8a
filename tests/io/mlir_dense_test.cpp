// Constants of MLIR: what they mean, and how they are written.
#include <array>
#include <bit>
#include <cstring>

#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/mlir/dense.hpp"

namespace tscatter::mlir {
namespace {

Tensor read(std::string_view text) { return dense_tensor(text, "m.mlir:3: input"); }

std::string refused(std::string_view text) {
  return refusal([&] { read(text); });
}

template <class T>
std::vector<T> values(std::string_view text) {
  const std::string bytes = native_content(read(text));
  std::vector<T> elements(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(elements.data(), bytes.data(), bytes.size());
  return elements;
}

// The constant that has those elements, each of which is given by its bits, little-endian.
std::string written(DType dtype, const Shape& shape, std::string_view bytes) {
  return dense_text({.type = ElementType::of(dtype, std::endian::little), .shape = shape},
                    bytes_of(bytes));
}

using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint16_t>;
using Integers = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("a dense constant has the elements of its lists, of one value, or of its bytes", "[io]") {
  const Tensor tensor = read("dense<[[1, 2], [3, 4], [5, -6]]> : tensor<3x2xi32>");
  CHECK(tensor.shape() == Shape{3, 2});
  CHECK(to_string(tensor.type()) == "int32");
  CHECK(values<std::int32_t>("dense<[[1, 2], [3, -4]]> : tensor<2x2xi32>") ==
        Integers{1, 2, 3, -4});
  CHECK(values<std::int32_t>("dense<[ // one\n1,//\n 0x7F]>: tensor<2xi32>") == Integers{1, 127});
  CHECK(values<std::int32_t>("dense<7> : tensor<3xi32>") == Integers{7, 7, 7});
  CHECK(values<std::int32_t>("dense<7> : tensor<i32>") == Integers{7});
  CHECK(values<std::int32_t>("dense<\"0x01000000FEffFFFF\"> : tensor<2xi32>") == Integers{1, -2});
  CHECK(values<std::int32_t>("dense<\"0x01000000\"> : tensor<3xi32>") == Integers{1, 1, 1});
  CHECK(values<std::int32_t>("dense<> : tensor<2x0xi32>").empty());
  CHECK(values<std::int32_t>("dense<[[], []]> : tensor<2x0xi32>").empty());
  CHECK(values<std::int32_t>("dense<[]> : tensor<0x2xi32>").empty());
  CHECK(read("dense<0.5> : tensor<1000000x1000000xf64>").byte_size() == 8'000'000'000'000);
}

TEST_CASE("numbers of MLIR have the bits that MLIR gives them", "[io]") {
  CHECK(values<std::uint8_t>("dense<[255, -128, 0x80]> : tensor<3xi8>") == Bytes{255, 128, 128});
  CHECK(values<std::uint8_t>("dense<[true, false, 1, 0]> : tensor<4xi1>") == Bytes{1, 0, 1, 0});
  CHECK(values<std::uint16_t>("dense<[1.0, -0.0, 0x7FC1, 3.0e-5]> : tensor<4xbf16>") ==
        Words{0x3F80, 0x8000, 0x7FC1, 0x37FC});
  CHECK(values<float>("dense<[1.0e+05, 0.1, 0xFF800000]> : tensor<3xf32>") ==
        std::vector{1e5F, 0.1F, -std::numeric_limits<float>::infinity()});
  CHECK(
      values<double>("dense<[(1.0, -2.0), (0x4008000000000000, 0.5)]> : tensor<2xcomplex<f64>>") ==
      std::vector{1.0, -2.0, 3.0, 0.5});
  CHECK(values<std::uint64_t>("dense<18446744073709551615> : tensor<ui64>") ==
        std::vector{~std::uint64_t{0}});
}

TEST_CASE("truth values have a bit or a byte each", "[io]") {
  CHECK(values<std::uint8_t>("dense<\"0x0500000000\"> : tensor<5xi1>") == Bytes{1, 0, 0, 0, 0});
  CHECK(values<std::uint8_t>("dense<\"0x05\"> : tensor<5xi1>") == Bytes{1, 0, 1, 0, 0});
  CHECK(values<std::uint8_t>("dense<\"0x0301\"> : tensor<9xi1>") ==
        Bytes{1, 1, 0, 0, 0, 0, 0, 0, 1});
  CHECK(values<std::uint8_t>("dense<\"0xFF\"> : tensor<17xi1>") == Bytes(17, 1));
}

TEST_CASE("constants are written as MLIR prints them, and read back with the same bytes", "[io]") {
  CHECK(written(DType::int16, {2, 1}, std::string("\xff\xff\5\0", 4)) ==
        "dense<[[-1], [5]]> : tensor<2x1xi16>");
  CHECK(written(DType::float32, {3}, std::string("\0\0\x80\x3f\1\0\xc0\x7f\xec\x78\xad\x60", 12)) ==
        "dense<[1.0, 0x7FC00001, 1.0e+20]> : tensor<3xf32>");
  CHECK(written(DType::complex64, {}, std::string("\0\0\0\x80\0\0\x80\xff", 8)) ==
        "dense<(-0.0, 0xFF800000)> : tensor<complex<f32>>");
  CHECK(written(DType::boolean, {2}, std::string("\1\0", 2)) ==
        "dense<[true, false]> : tensor<2xi1>");
  CHECK(written(DType::uint8, {0, 2}, "") == "dense<> : tensor<0x2xui8>");
  CHECK(written(DType::uint8, {101}, std::string(101, '\xab')).starts_with("dense<\"0xABAB"));
  for (const DTypeInfo& dtype : dtype_table) {
    if (dtype.dtype == DType::opaque) continue;
    for (const std::int64_t count : {1, 24, 128}) {
      std::string bytes(static_cast<std::size_t>(count) * dtype.size, '\0');
      for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<char>(dtype.dtype == DType::boolean ? i % 2 : i * i * 7 + 127 * i);
      const std::string text = written(dtype.dtype, {count}, bytes);
      INFO(text);
      CHECK(content(read(text)) == bytes);
    }
  }
}

TEST_CASE("each bit pattern of a narrow float is written and read back", "[io]") {
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      const std::array<char, 2> bytes{static_cast<char>(bits & 0xffU),
                                      static_cast<char>(bits >> 8U)};
      const std::string_view element(bytes.data(), bytes.size());
      const std::string text = written(dtype, {}, element);
      if (content(read(text)) != element) FAIL_CHECK(text);
    }
  }
}

TEST_CASE("a constant has NaN where an element, or a part of one, is", "[io]") {
  const auto has = [](std::string_view text) {
    const Tensor tensor = read(text);
    return has_nan(tensor.header(), bytes_of(content(tensor)));
  };
  CHECK(has("dense<[1.0, 0x7F800001]> : tensor<2xf32>"));
  CHECK(has("dense<(1.0, 0x7FC00000)> : tensor<complex<f32>>"));
  CHECK_FALSE(has("dense<[1.0, 0x7F800000]> : tensor<2xf32>"));
  CHECK_FALSE(has("dense<[-1]> : tensor<1xi32>"));
}

TEST_CASE("mlir.f1: a constant is dense and a type", "[io]") {
  const std::string place = "m.mlir:3: input:1: ";
  CHECK(refused("sparse<[1]> : tensor<1xi32>") ==
        place + "must have dense here, got sparse [mlir.f1]");
  CHECK(refused("dense[1]") == place + "must have < here, got [ [mlir.f1]");
  CHECK(refused("dense<[1]") ==
        place + "the list of dense must be closed by >, got the end of the text [mlir.f1]");
  CHECK(refused("dense<\"0x01") ==
        place + "a string must end in its line, got none of the quotes that end it [mlir.f1]");
  CHECK(refused("dense<1>") == place + "must have : here, got the end of the text [mlir.f1]");
  CHECK(refused("dense<1> : tensor<(>") ==
        place + "a bracket must be closed by ), got > [mlir.f1]");
}

TEST_CASE("mlir.f1: brackets are in at most 256 others", "[io]") {
  const auto nested = [](std::size_t depth) {
    return "dense<1> : tensor<" + std::string(depth, '(') + std::string(depth, ')') + ">";
  };
  CHECK(refused(nested(255)).ends_with("[mlir.f2]"));
  CHECK(refused(nested(256)) ==
        "m.mlir:3: input:1: brackets must be in at most 256 others, got more of them [mlir.f1]");
  CHECK(refused(nested(10'000'000)).ends_with("got more of them [mlir.f1]"));
}

TEST_CASE("mlir.f2: a type has known sizes and elements of a numeric dtype", "[io]") {
  const auto refused_type = [](const std::string& type) { return refused("dense<1> : " + type); };
  CHECK(refused_type("tensor<4xi4>") ==
        "m.mlir:3: input: the type must be that of a tensor of numbers with known sizes, "
        "tensor<2x3xf32>, got tensor<4xi4> [mlir.f2]");
  for (const char* type :
       {"tensor<>", "tensor<?xf32>", "tensor<*xf32>", "tensor<2xf8E4M3FN>", "tensor<2x>",
        "tensor<f32x2>", "tensor<-1xf32>", "tensor<2xf32, #x>", "tensor<complex<i32>>",
        "tensor<99999999999999999999xi8>", "tensor<9223372036854775807x2xi8>"})
    CHECK(refused_type(type).ends_with("[mlir.f2]"));
  std::string axes;
  for (int i = 0; i < 64; ++i) axes += "1x";
  CHECK(refused("dense<1> : tensor<" + axes + "i8>") == "accepted");
  CHECK(refused("dense<1> : tensor<1x" + axes + "i8>").ends_with("[mlir.f2]"));
  CHECK(refused("dense<1> : tensor<i8> 7").ends_with("[mlir.f2]"));
}

TEST_CASE("mlir.f3: lists have the type's shape", "[io]") {
  const auto refused_list = [](const std::string& list, const std::string& sizes = "2x2x") {
    return refused("dense<" + list + "> : tensor<" + sizes + "i8>");
  };
  const std::string front = "m.mlir:3: input: the lists of dense must have the type's shape ";
  CHECK(refused_list("[[1, 2], [3]]") == front + "[2, 2], got 1 instead of 2 at [1] [mlir.f3]");
  CHECK(refused_list("[[1, 2, 3], [4]]") == front + "[2, 2], got more than 2 at [0, 2] [mlir.f3]");
  CHECK(refused_list("[[1, 2], [3, 4], 5]") == front + "[2, 2], got more than 2 at [2] [mlir.f3]");
  CHECK(refused_list("[[1, 2]]") == front + "[2, 2], got 1 instead of 2 at [] [mlir.f3]");
  CHECK(refused_list("[1, 2]") == front + "[2, 2], got a value at [0] [mlir.f3]");
  CHECK(refused_list("[[[1]]]") ==
        front + "[2, 2], got a list in a value's place at [0, 0] [mlir.f3]");
  CHECK(refused_list("[1]", "") == front + "[], got a list in a value's place at [] [mlir.f3]");
  CHECK(refused_list(std::string(1'000'000, '['))
            .ends_with("got a list in a value's place at [0, 0] [mlir.f3]"));
  CHECK(refused_list("[5]", "0x") == front + "[0], got 1 instead of 0 at [] [mlir.f3]");
}

TEST_CASE("mlir.f3: a list has its commas, and its end", "[io]") {
  const auto refused_list = [](const std::string& list) {
    return refused("dense<" + list + "> : tensor<2xi8>");
  };
  const std::string front = "m.mlir:3: input: the list of dense must have ";
  CHECK(refused_list("[1 2]") == front + ", or ] at [0], got 2] [mlir.f3]");
  CHECK(refused_list("[1, 2") == front + ", or ] at [1], got its end [mlir.f3]");
  CHECK(refused_list("[1, ]") == front + "a value at [1], got ] [mlir.f3]");
  CHECK(refused_list("[, 1]") == front + "a value at [0], got , 1] [mlir.f3]");
  CHECK(refused_list("[1, 2]]") == front + "the end of the list at [], got ] [mlir.f3]");
  CHECK(refused_list("") == front + "a value at [], got its end [mlir.f3]");
  CHECK(refused_list("1, 2") == front + "the end of the list at [], got , 2 [mlir.f3]");
}

TEST_CASE("mlir.f3: bytes are those of all elements or of one", "[io]") {
  CHECK(refused("dense<\"0x0102\"> : tensor<3xi8>") ==
        "m.mlir:3: input: the bytes of dense must be the 3 of the type's shape [3], or the 1 of "
        "one element, got 2 [mlir.f3]");
  CHECK(refused("dense<\"0x\"> : tensor<3xi8>").ends_with("got 0 [mlir.f3]"));
  CHECK(refused("dense<\"0x00\"> : tensor<0xi8>").ends_with("got 1 [mlir.f3]"));
  CHECK(refused("dense<\"0x010203\"> : tensor<9xi1>").ends_with("got 3 [mlir.f3]"));
}

TEST_CASE("mlir.f4: a value is a number of its type", "[io]") {
  const auto value = [](const std::string& text, const std::string& type) {
    return refused("dense<[" + text + "]> : tensor<1x" + type + ">");
  };
  CHECK(value("256", "i8") ==
        "m.mlir:3: input: a value of int8 must be an integer in its range (7, 0x1F), got 256 at "
        "[0] [mlir.f4]");
  CHECK(value("1", "f32") ==
        "m.mlir:3: input: a value of float32 must be a fraction in its range (7.0, 1.5e+20), or "
        "its bits (0x7F80), got 1 at [0] [mlir.f4]");
  CHECK(value("yes", "i1") ==
        "m.mlir:3: input: a value of bool must be true or false, got yes at [0] [mlir.f4]");
  CHECK(value("1.0", "complex<f32>") ==
        "m.mlir:3: input: a value of complex64 must be two fractions in their range, (1.0, 2.0), "
        "or their bits, got 1.0 at [0] [mlir.f4]");
  for (const char* text : {"-129", "1.0", "0x100", "0x", "true", "+1", "- 1", "1_0", "-"})
    CHECK(value(text, "i8").ends_with("[mlir.f4]") != value(text, "i8").ends_with("[mlir.f3]"));
  for (const char* text : {"-1", "18446744073709551616"})
    CHECK(value(text, "ui64").ends_with("[mlir.f4]"));
  for (const char* text :
       {"65520.0", "nan", "inf", "0x10000", "+1.0", ".5", "1.0e", "1.0f", "-0x1"})
    CHECK(value(text, "f16").ends_with("[mlir.f4]"));
  for (const char* text : {"(1.0)", "(1.0, 2.0", "(1.0, 2.0, 3.0)", "()"})
    CHECK(value(text, "complex<f64>").ends_with("[mlir.f4]"));
}

TEST_CASE("mlir.f4: bytes are pairs of hexadecimal digits", "[io]") {
  CHECK(refused("dense<\"0x0G\"> : tensor<i8>") ==
        "m.mlir:3: input: the bytes of dense must be pairs of hexadecimal digits, \"0x3F80\", got "
        "\"0x0G\" [mlir.f4]");
  for (const char* text : {"\"0x0\"", "\"00\"", "\"0x 0\"", "\"0x-1\"", "\"0x01\", 1", "\"\""})
    CHECK(refused("dense<" + std::string(text) + "> : tensor<i8>").ends_with("[mlir.f4]"));
}

}  // namespace tscatter::mlir
