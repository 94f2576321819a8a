#include "tscatter/io/formats/text/literal.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {
namespace {

std::string refused_literal(std::string_view text) {
  return refusal([&] { literal_tensor(text, "--data"); });
}

bool is_literal(std::string_view text) { return literal_tensor(text, "--data").has_value(); }

std::string header_of_literal(std::string_view text) {
  const Tensor tensor = literal_tensor(text, "--data").value();
  return to_string(tensor.type()) + to_string(tensor.shape());
}

template <class T>
std::vector<T> values(std::string_view text) {
  const std::string bytes = native_content(literal_tensor(text, "--data").value());
  std::vector<T> elements(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(elements.data(), bytes.data(), bytes.size());
  return elements;
}

}  // namespace

TEST_CASE("literal.f1: a literal that is not addressable is refused", "[io]") {
  CHECK(refused_literal("4294967296x4294967296xf32=0") ==
        "--data: a literal must be addressable, got shape [4294967296, 4294967296] [literal.f1]");
  std::string axes;
  for (int i = 0; i < 64; ++i) axes += "1x";
  CHECK(refused_literal(axes + "u8=0") == "accepted");
  CHECK(refused_literal("1x" + axes + "u8=0") ==
        "--data: a literal must have at most 64 axes, got 65 [literal.f1]");
  CHECK(refused_literal("9223372036854775807xu8=0") == "accepted");
  CHECK(refused_literal("9223372036854775807xu16=0").ends_with("[literal.f1]"));
}

TEST_CASE("literal.f2: a literal has one value or all", "[io]") {
  CHECK(refused_literal("2x2xf32=1,2,3") ==
        "--data: a literal of shape [2, 2] must have 4 values or one, got 3 [literal.f2]");
  CHECK(refused_literal("2xf32=") ==
        "--data: a literal of shape [2] must have 2 values or one, got 0 [literal.f2]");
  CHECK(refused_literal("f32=1,2").ends_with("must have 1 values or one, got 2 [literal.f2]"));
}

TEST_CASE("literal.f3: a value that does not fit is refused", "[io]") {
  CHECK(refused_literal("3xu8=1,256,3") ==
        "--data: value 1 of the literal must fit uint8 (u8 is uint8 here, NumPy's u8 is uint64), "
        "got '256' [literal.f3]");
  CHECK(refused_literal("f16=65520") ==
        "--data: value 0 of the literal must fit float16, got '65520' [literal.f3]");
  for (const char* text :
       {"i8=1.0", "i8=x", "2xi8=1,", "f32=1e400", "u64=18446744073709551616", "bool=2", "f32=1+2j",
        "f32=true", "f32=0x10", "f32=1 2", "f32=--1", "c64=1+j+2j", "i64=9223372036854775808"}) {
    INFO(text);
    CHECK(refused_literal(text).ends_with("[literal.f3]"));
  }
}

TEST_CASE("a literal has sizes, a dtype and values", "[io]") {
  CHECK(header_of_literal("2x2xf32=1,2,3,4") == "float32[2, 2]");
  CHECK(header_of_literal("f16=1") == "float16[]");
  CHECK(header_of_literal("1xuint8=1") == "uint8[1]");
  CHECK(header_of_literal("0x3xf32=") == "float32[0, 3]");
  CHECK(header_of_literal("2xBF16=0") == "bfloat16[2]");
  CHECK(values<float>("2x2xf32=1,2,3,4") == std::vector<float>{1, 2, 3, 4});
  CHECK(values<float>("3xf32=1.5") == std::vector<float>{1.5, 1.5, 1.5});
  CHECK(values<std::int64_t>("2xi64= -9223372036854775808 , 9223372036854775807") ==
        std::vector<std::int64_t>{INT64_MIN, INT64_MAX});
  CHECK(values<std::uint64_t>("u64=18446744073709551615") ==
        std::vector<std::uint64_t>{UINT64_MAX});
  CHECK(values<std::uint8_t>("4xbool=true,false,0,1") == std::vector<std::uint8_t>{1, 0, 0, 1});
}

TEST_CASE("a literal names its dtype by either of its names", "[io]") {
  for (const DTypeInfo& dtype : dtype_table) {
    if (dtype.dtype == DType::opaque) continue;
    for (const std::string_view name : {dtype.name, dtype.short_name}) {
      CAPTURE(name);
      CHECK(header_of_literal("2x3x" + std::string(name) + "=0") ==
            std::string(dtype.name) + "[2, 3]");
      CHECK(header_of_literal(std::string(name) + "=0") == std::string(dtype.name) + "[]");
    }
  }
}

TEST_CASE("a literal of floats takes infinities and NaN", "[io]") {
  const std::vector<double> read = values<double>("4xf64=inf,-Infinity,nan,-0.0");
  CHECK(read[0] == HUGE_VAL);
  CHECK(read[1] == -HUGE_VAL);
  CHECK(std::isnan(read[2]));
  CHECK((read[3] == 0 && std::signbit(read[3])));
  CHECK(std::signbit(values<double>("f64=-0").front()));
  CHECK(values<std::int32_t>("i32=-0") == std::vector<std::int32_t>{0});
}

TEST_CASE("an integer rounds once to a narrower float", "[io]") {
  // 2^60 + 2^36 + 1 is over half an ulp of float32, but a float64 on the way would make it a tie.
  CHECK(values<float>("f32=1152921573326323713") == std::vector<float>{0x1.000002p60F});
  CHECK(values<float>("f32=-1152921573326323713") == std::vector<float>{-0x1.000002p60F});
  CHECK(values<float>("f32=1152921573326323712") == std::vector<float>{0x1p60F});
  CHECK(values<double>("f64=9007199254740993") == std::vector<double>{9007199254740992.0});
}

TEST_CASE("a sign is one, and what is too small becomes 0", "[io]") {
  CHECK(values<std::int8_t>("2xi8=+5,-5") == std::vector<std::int8_t>{5, -5});
  CHECK(values<float>("f32=+5") == std::vector<float>{5});
  CHECK(values<double>("2xf64=1e-400,-1e-310") == std::vector<double>{0, -1e-310});
  CHECK(refused_literal("f32=+-5").ends_with("[literal.f3]"));
  CHECK(refused_literal("f32=++5").ends_with("[literal.f3]"));
  CHECK(refused_literal("f64=1e400").ends_with("[literal.f3]"));
}

TEST_CASE("a literal of complex values is written as Python writes them", "[io]") {
  CHECK(values<float>("4xc64=1+2j,-1.5j,3,1e-1-2e+1j") ==
        std::vector<float>{1, 2, 0, -1.5, 3, 0, 0.1F, -20});
}

TEST_CASE("one value fills a tensor of any size without memory", "[io]") {
  const Tensor tensor = literal_tensor("1000000000000x3xu16=258", "--data").value();
  std::array<std::byte, 5> bytes{};
  tensor.source().read(tensor.byte_size() - 5, bytes);
  CHECK(text_of(bytes) == "\1\2\1\2\1");  // little-endian on every machine
}

TEST_CASE("what has no sizes, dtype and equals sign is no literal", "[io]") {
  for (const char* text : {"", "7", "x.npy", "2x2", "2x2xf33=1", "f32", "=1", "-2xf32=1",
                           "2xxf32=1", "2.5xf32=1", "a=b.npy", "2x2x=1", " 2xf32=1"}) {
    INFO(text);
    CHECK_FALSE(is_literal(text));
  }
}

}  // namespace tscatter
