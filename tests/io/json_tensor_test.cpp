#include "tscatter/io/formats/text/json_tensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {
namespace {

Tensor read_json(std::string_view text, std::optional<DType> dtype = std::nullopt) {
  return json_tensor(text, {.name = "x.json", .dtype = dtype});
}

std::string refused_json(std::string_view text, std::optional<DType> dtype = std::nullopt) {
  return refusal([&] { read_json(text, dtype); });
}

std::string json_header(const Tensor& tensor) {
  return to_string(tensor.type()) + to_string(tensor.shape());
}

template <class T>
T json_value(std::string_view text, DType dtype) {
  const std::string bytes = native_content(read_json(text, dtype));
  T element{};
  REQUIRE(bytes.size() == sizeof(T));
  std::memcpy(&element, bytes.data(), sizeof(T));
  return element;
}

std::uint16_t half(std::string_view text) {
  return json_value<std::uint16_t>(text, DType::float16);
}
std::uint16_t brain(std::string_view text) {
  return json_value<std::uint16_t>(text, DType::bfloat16);
}

std::string nested(std::size_t depth, std::string_view inside) {
  return std::string(depth, '[') + std::string(inside) + std::string(depth, ']');
}

}  // namespace

TEST_CASE("json.f1: text that is no JSON is refused", "[io]") {
  CHECK(refused_json("[1, 2") ==
        "x.json: the text must be JSON (a bracket is not closed), got the end of the text at "
        "column 6 [json.f1]");
  for (const char* text : {"", " ", "[1,]", "[01]", "nope", "[1] [2]", "{\"data\": 1", "+1", ".5",
                           "1.", "nan", "[1 2]", "'x'", "\x93NUMPY", "[1]//", "\"\xff\""}) {
    INFO(text);
    CHECK(refused_json(text).ends_with("[json.f1]"));
  }
}

TEST_CASE("json.f1: a NUL byte is refused where it is", "[io]") {
  const auto at = [](int line, int column) {
    return fmt::format("x.json: the text must be JSON, got a NUL byte at {}column {} [json.f1]",
                       line == 1 ? "" : fmt::format("line {}, ", line), column);
  };
  const std::string nul(1, '\0');
  CHECK(refused_json(nul) == at(1, 1));
  CHECK(refused_json("[1,2]" + nul + "garbage") == at(1, 6));
  CHECK(refused_json("[1,2]" + nul) == at(1, 6));
  CHECK(refused_json("[1,\n2]\n \n" + nul + "\n") == at(4, 1));
  CHECK(refused_json("[1" + nul + ",2]") == at(1, 3));
  CHECK(refused_json("[\"Na" + nul + "N\"]") == at(1, 5));
  CHECK(refused_json("{\"data\"" + nul) == at(1, 8));
  // Behind the first piece that the parser gets, and at its border.
  CHECK(refused_json("[1]\n" + std::string(65532, ' ') + nul) == at(2, 65533));
  CHECK(refused_json("[1]\n" + std::string(200000, ' ') + nul) == at(2, 200001));
  // What is wrong before it is said first.
  CHECK(refused_json("[1,]" + nul) == refused_json("[1,]"));
}

TEST_CASE("json.f1: a string or a number of more than 4096 bytes is refused", "[io]") {
  const std::string too_long =
      "x.json: a string or a number must be at most 4096 bytes long, got more [json.f1]";
  const auto zero = [](std::size_t length) { return "0." + std::string(length - 2, '0'); };
  CHECK(json_header(read_json("[" + zero(4096) + "," + zero(4096) + "]")) == "float64[2]");
  CHECK(json_header(read_json("[\n" + zero(4096) + "\n]")) == "float64[1]");
  for (const std::string& text : {zero(4097), "[" + zero(4097) + "]", "[1,-" + zero(4096) + "]"}) {
    CHECK(refused_json(text) == too_long);
  }
  for (const char* unit : {"a", "ab", "\\\\", "\\\"", "\\n", "\\u0061\\\"", "\xc3\xa4", "],"}) {
    INFO(unit);
    std::string text;
    while (text.size() < 4096) text += unit;
    CHECK(refused_json("[\"" + text + "\"]").ends_with("[json.f2]"));
    CHECK(refused_json("{\"" + text + "\": 1}").ends_with("[json.f5]"));
    CHECK(refused_json("{\"dtype\": \"" + text + "\"}").ends_with("[json.f6]"));
    CHECK(refused_json("[\"" + text + unit + "\"]") == too_long);
    CHECK(refused_json("{\"" + text + unit + "\": 1}") == too_long);
    CHECK(refused_json("{\"dtype\": \"" + text + unit + "\"}") == too_long);
  }
}

TEST_CASE("json.f1: a token is counted across the pieces that are read", "[io]") {
  constexpr std::size_t piece = std::size_t{64} * 1024;
  for (const std::size_t begin : {piece - 4098, piece - 4097, piece - 4096, piece - 4095,
                                  piece - 2000, piece - 1, piece, piece + 1}) {
    INFO(begin);
    const std::string front = "[" + std::string(begin - 1, ' ');
    const std::string zeros = "0." + std::string(4094, '0');
    CHECK(json_header(read_json(front + zeros + "]")) == "float64[1]");
    CHECK(refused_json(front + zeros + "0]").ends_with("got more [json.f1]"));
    CHECK(refused_json(front + "\"" + std::string(4096, '\\') + "\"]").ends_with("[json.f2]"));
    CHECK(refused_json(front + "\"" + std::string(4098, '\\') + "\"]")
              .ends_with("got more [json.f1]"));
  }
}

TEST_CASE("what is wrong before a token that is too long is said first", "[io]") {
  const std::string token(5000, 'a');
  CHECK(refused_json("[null, \"" + token + "\"]") ==
        "x.json: a value must be a number, true, false or a list (NaN is written \"NaN\"), got "
        "null [json.f2]");
  CHECK(refused_json("[" + token + "]")
            .starts_with("x.json: the text must be JSON (a string stands "));
  CHECK(refused_json("[1]\"" + token + "\"").ends_with("got more [json.f1]"));
}

TEST_CASE("json.f2: a value that is no number, boolean or list is refused", "[io]") {
  CHECK(refused_json("null") ==
        "x.json: a value must be a number, true, false or a list (NaN is written \"NaN\"), got "
        "null [json.f2]");
  CHECK(refused_json("[1, \"one\"]") ==
        "x.json: a value must be a number, true, false or a list, got \"one\" [json.f2]");
  CHECK(refused_json("[{}]") ==
        "x.json: a value must be a number, true, false or a list, got an object [json.f2]");
  CHECK(refused_json("{\"data\": {\"data\": 1}}") ==
        "x.json: a value must be a number, true, false or a list, got an object [json.f2]");
}

TEST_CASE("json.f3: ragged lists are refused with their place", "[io]") {
  CHECK(refused_json("[[1, 2], [3]]") ==
        "x.json: nested lists must have one length per axis, got 1 elements at [1] where 2 came "
        "before [json.f3]");
  CHECK(refused_json("[[1], 2]") ==
        "x.json: nested lists must have one length per axis, got a value at [1] where a list came "
        "before [json.f3]");
  for (const char* text : {"[1, [2]]", "[[], [1]]", "[[1], []]", "[[[]], []]", "[[], [[]]]",
                           "[[[1, 2], [3, 4]], [[1, 2]]]", "[[], 1]", "[1, []]"}) {
    INFO(text);
    CHECK(refused_json(text).ends_with("[json.f3]"));
  }
}

TEST_CASE("json.f4: a value that does not fit the dtype is refused with its place", "[io]") {
  CHECK(refused_json("[[1, 2], [3, 300]]", DType::uint8) ==
        "x.json: the value at [1, 1] must fit uint8, got 300 [json.f4]");
  CHECK(refused_json("1.0", DType::int32) ==
        "x.json: the value must fit int32 (an integer has no point, fraction or exponent), got 1.0 "
        "[json.f4]");
  CHECK(refused_json("1e400") == "x.json: a finite number must fit float64, got 1e400 [json.f4]");
  CHECK(refused_json("[1, 2, 3]", DType::complex64) ==
        "x.json: complex values must be written [re, im], got lists of shape [3] [json.f4]");
}

TEST_CASE("json.f4: each integer dtype takes its range and nothing beyond", "[io]") {
  struct Range {
    DType dtype;
    const char* below;
    const char* lowest;
    const char* highest;
    const char* above;
  };
  const std::vector<Range> ranges{
      {DType::int8, "-129", "-128", "127", "128"},
      {DType::int16, "-32769", "-32768", "32767", "32768"},
      {DType::int32, "-2147483649", "-2147483648", "2147483647", "2147483648"},
      {DType::int64, "-9223372036854775809", "-9223372036854775808", "9223372036854775807",
       "9223372036854775808"},
      {DType::uint8, "-1", "0", "255", "256"},
      {DType::uint16, "-1", "0", "65535", "65536"},
      {DType::uint32, "-1", "0", "4294967295", "4294967296"},
      {DType::uint64, "-1", "0", "18446744073709551615", "18446744073709551616"},
      {DType::boolean, "-1", "0", "1", "2"},
  };
  for (const Range& range : ranges) {
    INFO(info(range.dtype).name);
    CHECK(refused_json(range.below, range.dtype).ends_with("[json.f4]"));
    CHECK(refused_json(range.lowest, range.dtype) == "accepted");
    CHECK(refused_json(range.highest, range.dtype) == "accepted");
    CHECK(refused_json(range.above, range.dtype).ends_with("[json.f4]"));
    CHECK(refused_json("1.0", range.dtype).ends_with("[json.f4]"));
    CHECK(refused_json("1e0", range.dtype).ends_with("[json.f4]"));
    CHECK(refused_json("\"NaN\"", range.dtype).ends_with("[json.f4]"));
  }
}

TEST_CASE("json.f4: a finite number that would become an infinity is refused", "[io]") {
  CHECK(half("65504") == 0x7BFF);
  CHECK(half("65519") == 0x7BFF);
  CHECK(half("65519.99999999999") == 0x7BFF);
  CHECK(half("-65519") == 0xFBFF);
  CHECK(refused_json("65520", DType::float16).ends_with("must fit float16, got 65520 [json.f4]"));
  CHECK(refused_json("-65520", DType::float16).ends_with("must fit float16, got -65520 [json.f4]"));
  CHECK(brain("3.3895313892515355e38") == 0x7F7F);
  CHECK(refused_json("3.4e38", DType::bfloat16).ends_with("[json.f4]"));
  CHECK(refused_json("3.5e38", DType::float32).ends_with("[json.f4]"));
  CHECK(refused_json("[1.0, 3.5e38]", DType::complex64).ends_with("[json.f4]"));
  CHECK(json_value<float>("3.4028234663852886e38", DType::float32) ==
        std::numeric_limits<float>::max());
  CHECK(refused_json("1.8e308").ends_with("[json.f4]"));
  CHECK(refused_json(std::string(400, '1')).ends_with("[json.f4]"));
}

TEST_CASE("json.f5: the keys of an object are dtype, shape and data, once each", "[io]") {
  CHECK(refused_json("{\"data\": 1, \"dtpye\": \"f4\"}") ==
        "x.json: the keys must be dtype, shape and data (nearest: dtype), got \"dtpye\" [json.f5]");
  CHECK(refused_json("{\"data\": 1, \"data\": 2}") ==
        "x.json: the key \"data\" occurs twice [json.f5]");
  CHECK(refused_json("{\"shape\": [2]}") == "x.json: the object has no key data [json.f5]");
  CHECK(refused_json("{}") == "x.json: the object has no key data [json.f5]");
}

TEST_CASE("json.f6: a dtype that is no numeric dtype's name is refused", "[io]") {
  CHECK(refused_json("{\"dtype\": \"float33\", \"data\": 1}") ==
        "x.json: dtype must name a numeric dtype (nearest: float32), got \"float33\" [json.f6]");
  CHECK(refused_json("{\"dtype\": 4, \"data\": 1}") ==
        "x.json: dtype must be a name, got 4 [json.f6]");
  CHECK(refused_json("{\"dtype\": null, \"data\": 1}") ==
        "x.json: dtype must be a name, got null [json.f6]");
  CHECK(refused_json("{\"dtype\": \"opaque\", \"data\": 1}").ends_with("[json.f6]"));
}

TEST_CASE("json.f7: a shape that data does not have is refused", "[io]") {
  CHECK(refused_json("{\"shape\": [2, 2], \"data\": [1, 2, 3]}") ==
        "x.json: data must have shape [2, 2] or be a flat list of its elements, got [3] [json.f7]");
  CHECK(refused_json("{\"shape\": [4], \"data\": [[1, 2], [3, 4]]}").ends_with("[json.f7]"));
  CHECK(refused_json("{\"shape\": 4, \"data\": 1}") ==
        "x.json: shape must be a list of sizes, got 4 [json.f7]");
  CHECK(refused_json("{\"shape\": [-1], \"data\": [1]}") ==
        "x.json: shape must be a list of sizes, got -1 [json.f7]");
  CHECK(refused_json("{\"shape\": [[1]], \"data\": [1]}") ==
        "x.json: shape must be a list of sizes, got a list [json.f7]");
  CHECK(refused_json("{\"shape\": [1.0], \"data\": [1]}").ends_with("[json.f7]"));
  CHECK(refused_json("{\"shape\": [4294967296, 4294967296, 0], \"data\": []}")
            .ends_with("[json.f7]"));
}

TEST_CASE("json.f8: values without a dtype are of one kind", "[io]") {
  CHECK(refused_json("[true, 1]") ==
        "x.json: values without a dtype must be of one kind, got booleans and numbers [json.f8]");
  CHECK(refused_json("[9223372036854775807, 9223372036854775808]") ==
        "x.json: integers without a dtype must fit int64 (name a dtype, such as uint64), got "
        "9223372036854775808 [json.f8]");
  CHECK(refused_json("[1.5, 18446744073709551616]").ends_with("[json.f8]"));
}

TEST_CASE("json.f9: 64 axes are read, more are refused", "[io]") {
  CHECK(json_header(read_json(nested(64, "1"))).starts_with("int64[1, 1"));
  CHECK(refused_json(nested(65, "1")) ==
        "x.json: a tensor must have at most 64 axes, got 65 [json.f9]");
  CHECK(refused_json(nested(66, "1")) ==
        "x.json: a tensor must have at most 64 axes, got more [json.f9]");
  CHECK(refused_json(nested(64, "[1, 2]"), DType::complex64) == "accepted");
  CHECK(refused_json(std::string(1000000, '[')).ends_with("[json.f9]"));
  std::string ones;
  for (int i = 0; i < 63; ++i) ones += "1, ";
  CHECK(json_header(read_json("{\"shape\": [" + ones + "1], \"data\": [5]}"))
            .starts_with("int64[1, 1"));
  CHECK(refused_json("{\"shape\": [" + ones + "1, 1], \"data\": [5]}") ==
        "x.json: a tensor must have at most 64 axes, got more [json.f9]");
}

TEST_CASE("json.f10: an opaque tensor is not written as JSON", "[io]") {
  const ElementType type{.dtype = DType::opaque, .size = 3, .descr = "'|S3'"};
  CHECK(
      refusal([&] { require_json_form(type, "out.json"); }) ==
      "out.json: a tensor that is written as JSON must be of a numeric dtype, got |S3 [json.f10]");
}

TEST_CASE("an inline value that is wrong is an error of usage", "[io]") {
  try {
    json_tensor("[1", {.name = "--data", .kind = ErrorKind::usage, .dtype = std::nullopt});
    FAIL("it was accepted");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    CHECK(error.where() == "--data");
  }
}

TEST_CASE("values without a dtype become what NumPy would make of them", "[io]") {
  CHECK(json_header(read_json("7")) == "int64[]");
  CHECK(json_header(read_json("[[1, 2], [3, 4]]")) == "int64[2, 2]");
  CHECK(json_header(read_json("[1, 2.5]")) == "float64[2]");
  CHECK(json_header(read_json("[1, \"NaN\"]")) == "float64[2]");
  CHECK(json_header(read_json("[true, false]")) == "bool[2]");
  CHECK(json_header(read_json("[]")) == "float64[0]");
  CHECK(json_header(read_json("[[], []]")) == "float64[2, 0]");
  CHECK(json_header(read_json("[[[]]]")) == "float64[1, 1, 0]");
  CHECK(json_header(read_json("[[1, 2]]", DType::float16)) == "float16[1, 2]");
}

TEST_CASE("an object names dtype and shape in any order, data nested or flat", "[io]") {
  CHECK(json_header(read_json(R"({"dtype": "f32", "shape": [2, 2], "data": [1, 2, 3, 4]})")) ==
        "float32[2, 2]");
  CHECK(json_header(read_json(R"({"data": [[1, 2], [3, 4]], "shape": [2, 2], "dtype": "U8"})")) ==
        "uint8[2, 2]");
  CHECK(json_header(read_json(R"({"shape": [], "data": [5]})")) == "int64[]");
  CHECK(json_header(read_json(R"({"shape": [0, 3], "data": []})")) == "float64[0, 3]");
  CHECK(json_header(read_json(R"({"dtype": "int8", "data": [3]})", DType::float64)) == "int8[1]");
  CHECK(content(read_json(R"({"dtype": "u8", "shape": [2, 2], "data": [65, 66, 67, 68]})")) ==
        "ABCD");
}

TEST_CASE("complex values are [re, im], a bare number is no complex value", "[io]") {
  CHECK(json_header(read_json("[[1, 2], [3, 4], [5, 6]]", DType::complex64)) == "complex64[3]");
  CHECK(json_header(read_json("[1, 2]", DType::complex128)) == "complex128[]");
  CHECK(json_header(read_json(R"({"dtype": "c64", "shape": [2, 1], "data": [[1, 2], [3, 4]]})")) ==
        "complex64[2, 1]");
  CHECK(json_header(read_json(R"({"dtype": "c64", "shape": [2, 0], "data": [[], []]})")) ==
        "complex64[2, 0]");
  const auto parts = json_value<std::array<float, 2>>("[1.5, \"-Infinity\"]", DType::complex64);
  CHECK(parts[0] == 1.5F);
  CHECK(parts[1] == -std::numeric_limits<float>::infinity());
}

TEST_CASE("integers of 64 bits are exact", "[io]") {
  CHECK(json_value<std::int64_t>("9007199254740993", DType::int64) == 9007199254740993);
  CHECK(json_value<std::int64_t>("-9223372036854775808", DType::int64) ==
        std::numeric_limits<std::int64_t>::min());
  CHECK(json_value<std::uint64_t>("18446744073709551615", DType::uint64) ==
        std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("floats round to nearest even, once", "[io]") {
  CHECK(half("1.00048828125") == 0x3C00);       // halfway to 1 + 2^-10: even is 1
  CHECK(half("1.0004882812500003") == 0x3C01);  // above by less than float32 sees
  CHECK(half("1.00146484375") == 0x3C02);       // halfway, even is above
  CHECK(half("1.0014648437499997") == 0x3C01);
  CHECK(half("2049") == 0x6800);
  CHECK(half("2051") == 0x6802);
  CHECK(half("5.960464477539063e-08") == 0x0001);   // the smallest subnormal
  CHECK(half("2.9802322387695312e-08") == 0x0000);  // half of it: even is 0
  CHECK(half("2.980232238769532e-08") == 0x0001);
  CHECK(half("-2.9802322387695312e-08") == 0x8000);
  CHECK(half("6.097555160522461e-05") == 0x03FF);   // the largest subnormal
  CHECK(half("6.1005353927612305e-05") == 0x0400);  // halfway to the smallest normal
  CHECK(brain("1.00390625") == 0x3F80);
  CHECK(brain("1.0039062500000002") == 0x3F81);
  CHECK(brain("1.01171875") == 0x3F82);
  CHECK(brain("9.183549615799121e-41") == 0x0001);
  CHECK(json_value<float>("16777217", DType::float32) == 16777216.0F);
  CHECK(json_value<float>("16777219", DType::float32) == 16777220.0F);
  CHECK(json_value<float>("1.401298464324817e-45", DType::float32) ==
        std::numeric_limits<float>::denorm_min());
}

TEST_CASE("signed zeros, tiny numbers and the words for what is not finite", "[io]") {
  CHECK(std::signbit(json_value<double>("-0.0", DType::float64)));
  CHECK(half("-0.0") == 0x8000);
  CHECK(std::signbit(json_value<double>("-0", DType::float64)));
  CHECK(std::signbit(json_value<float>("-0", DType::float32)));
  CHECK(half("-0") == 0x8000);
  CHECK(brain("-0") == 0x8000);
  CHECK(std::signbit(json_value<std::complex<float>>("[-0, 0]", DType::complex64).real()));
  CHECK(!std::signbit(json_value<std::complex<float>>("[-0, 0]", DType::complex64).imag()));
  CHECK(json_value<std::int32_t>("-0", DType::int32) == 0);
  CHECK(json_value<bool>("-0", DType::boolean) == false);
  CHECK(json_header(read_json("[-0]")) == "int64[1]");
  CHECK(native_content(read_json("[-0, 0.5]")) == native_content(read_json("[-0.0, 0.5]")));
  CHECK(refused_json("{\"shape\": [-1], \"data\": []}") ==
        "x.json: shape must be a list of sizes, got -1 [json.f7]");
  CHECK(json_value<double>("1e-400", DType::float64) == 0.0);
  CHECK(json_value<double>("5e-324", DType::float64) == std::numeric_limits<double>::denorm_min());
  CHECK(std::isnan(json_value<float>("\"NaN\"", DType::float32)));
  CHECK(json_value<float>("\"Infinity\"", DType::float32) ==
        std::numeric_limits<float>::infinity());
  CHECK(half("\"-Infinity\"") == 0xFC00);
  CHECK(refused_json("\"nan\"").ends_with("[json.f2]"));
}

TEST_CASE("NaN, Infinity and -Infinity may stand without quotes", "[io]") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CHECK(std::isnan(json_value<float>("NaN", DType::float32)));
  CHECK(json_value<float>("Infinity", DType::float32) == infinity);
  CHECK(json_value<float>(" -Infinity\n", DType::float32) == -infinity);
  CHECK(half("-Infinity") == 0xFC00);
  CHECK(json_header(read_json("[1, NaN]")) == "float64[2]");
  CHECK(native_content(read_json("[NaN,Infinity,-Infinity]")) ==
        native_content(read_json(R"(["NaN", "Infinity", "-Infinity"])")));
  const auto parts = json_value<std::array<float, 2>>("[NaN, -Infinity]", DType::complex64);
  CHECK(std::isnan(parts[0]));
  CHECK(parts[1] == -infinity);
  CHECK(refused_json("[1, NaN]", DType::int32) ==
        "x.json: the value at [1] must fit int32, got NaN [json.f4]");
  CHECK(refused_json("[-Infinity]", DType::boolean) ==
        "x.json: the value at [0] must fit bool, got -Infinity [json.f4]");
  CHECK(refused_json("[true, NaN]").ends_with("[json.f8]"));
  CHECK(refused_json(R"({"shape": [NaN], "data": [1]})") ==
        "x.json: shape must be a list of sizes, got NaN [json.f7]");
  CHECK(refused_json(R"({"dtype": NaN, "data": [1]})") ==
        "x.json: dtype must be a name, got NaN [json.f6]");
  for (const char* text :
       {"nan", "NAN", "Nan", "Infinit", "Infinityx", "-NaN", "+Infinity", "- Infinity", "Inf",
        "-inf", "NaN0", "{NaN: 1}", "-Infinity1", "-Infinity.5", "-Infinitye5"}) {
    INFO(text);
    CHECK(refused_json(text).ends_with("[json.f1]"));
  }
}

TEST_CASE("a mark of UTF-8 in front is passed over", "[io]") {
  CHECK(json_header(read_json("\xef\xbb\xbf[1, 2]")) == "int64[2]");
  CHECK(refused_json("\xef\xbb\xbf").ends_with("[json.f1]"));
  CHECK(refused_json("\xef\xbb[1]").ends_with("[json.f1]"));
  CHECK(refused_json("[1]\xef\xbb\xbf").ends_with("[json.f1]"));
}

TEST_CASE("strings of JSON: escapes, surrogates and UTF-8", "[io]") {
  for (const char* text : {R"("\u004eaN")", R"(["\u004E\u0061N"])", R"({"d\u0061ta": "NaN"})",
                           R"({"\u0064\u0074\u0079\u0070\u0065": "f32", "data": 1})"}) {
    INFO(text);
    CHECK(refused_json(text, DType::float32) == "accepted");
  }
  CHECK(refused_json(R"(["\ud83d\ude00\n\"\\\/"])") ==
        "x.json: a value must be a number, true, false or a list, got \"\xf0\x9f\x98\x80\\n\"\\/\" "
        "[json.f2]");
  for (const char* text :
       {R"(["\ud83d"])", R"(["\ud83d\u0041"])", R"(["\ude00"])", R"(["\x41"])", R"(["\u12"])",
        "[\"\xc3\"]", "[\"\xed\xa0\x80\"]", "[\"\xf5\x80\x80\x80\"]", "[\"\x01\"]", "[\"\t\"]",
        "[\"a\n\"]", "[\"", "[\"\\", "[\"\\u00"}) {
    INFO(text);
    CHECK(refused_json(text).ends_with("[json.f1]"));
  }
}

TEST_CASE("booleans are true, false, 0 and 1", "[io]") {
  CHECK(content(read_json("[true, false, 0, 1]", DType::boolean)) == std::string("\1\0\0\1", 4));
  CHECK(refused_json("true", DType::float32).ends_with("[json.f4]"));
  CHECK(refused_json("true", DType::int8).ends_with("[json.f4]"));
}

TEST_CASE("a number beyond float64 is a zero, or refused", "[io]") {
  const std::string zeros(400, '0');
  for (const std::string& text : std::vector<std::string>{
           "1e-400", "0." + zeros + "1", "123.456e-500", "1e-99999999999999999999", "2e-324"}) {
    CAPTURE(text);
    const auto value = json_value<double>(text, DType::float64);
    const auto negative = json_value<double>("-" + text, DType::float64);
    CHECK((value == 0 && !std::signbit(value)));
    CHECK((negative == 0 && std::signbit(negative)));
  }
  for (const std::string& text : std::vector<std::string>{"1e400", "1" + zeros + ".5", "0.001e312",
                                                          "-12e99999999999999999"}) {
    CAPTURE(text);
    CHECK(refused_json(text, DType::float64).ends_with("[json.f4]"));
  }
  CHECK(json_value<double>("0." + zeros + "1e401", DType::float64) == 1.0);
}

}  // namespace tscatter
