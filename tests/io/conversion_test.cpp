// convert --to: the values of every dtype in every other.
#include "tscatter/io/formats/conversion.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "catch.hpp"
#include "io/files.hpp"
#include "oracle/arithmetic.hpp"
#include "property/random.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/text/literal.hpp"

namespace tscatter {
namespace {

Tensor literal(const std::string& text) { return *literal_tensor(text, "x"); }

// The type, shape and bits of the converted literal, or why it is refused.
std::string after(const std::string& text, DType to, Rounding rounding = Rounding::refused) {
  std::string line;
  const std::string refused = refusal([&] {
    const Tensor tensor = converted(literal(text), to, nullptr, nullptr, rounding);
    line = to_string(tensor.type()) + to_string(tensor.shape());
    const std::string bytes = native_content(tensor);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i % tensor.type().size == 0) line += ' ';
      // Big end first.
      const std::size_t element = i / tensor.type().size;
      const std::size_t size = tensor.type().size;
      const std::size_t at =
          std::endian::native == std::endian::big ? i : element * size + size - 1 - i % size;
      line += fmt::format("{:02x}", static_cast<unsigned char>(bytes[at]));
    }
  });
  return refused == "accepted" ? line : refused;
}

std::string rounded(const std::string& text, DType to) {
  return after(text, to, Rounding::nearest);
}

std::string misfit(const std::string& place, DType to, const std::string& way_out,
                   const std::string& got) {
  return fmt::format("x: the value{} must fit {} exactly ({}), got {} [convert.v1]", place,
                     info(to).name, way_out, got);
}

std::string does_not_fit(const std::string& place, DType to, const std::string& got) {
  return misfit(place, to, "--cast unsafe", got);
}

std::string is_between(DType to, const std::string& got) {
  return misfit("", to, "--round nearest", got);
}

template <class T>
Tensor of(Shape shape, std::vector<T> values, MemoryOrder order = MemoryOrder::c) {
  const ElementType type = ElementType::of(detail::dtype_of<T>());
  return {{.type = type, .shape = std::move(shape), .order = order},
          owned_source(std::move(values)),
          "x"};
}

}  // namespace

TEST_CASE("convert.v1: an integer fits a dtype that has it", "[io]") {
  CHECK(after("2xu32=3,4294967295", DType::int64) == "int64[2] 0000000000000003 00000000ffffffff");
  CHECK(after("2xi8=-128,127", DType::int16) == "int16[2] ff80 007f");
  CHECK(after("2xi64=127,-129", DType::int8) == does_not_fit(" at [1]", DType::int8, "-129"));
  CHECK(after("3xi64=1,128,-129", DType::int8) == does_not_fit(" at [1]", DType::int8, "128"));
  CHECK(after("i8=-1", DType::uint64) == does_not_fit("", DType::uint64, "-1"));
  CHECK(after("u64=9223372036854775807", DType::int64) == "int64[] 7fffffffffffffff");
  CHECK(after("u64=9223372036854775808", DType::int64) ==
        does_not_fit("", DType::int64, "9223372036854775808"));
  CHECK(after("2xi32=0,1", DType::boolean) == "bool[2] 00 01");
  CHECK(after("i32=2", DType::boolean) == does_not_fit("", DType::boolean, "2"));
  CHECK(after("2xbool=true,false", DType::int32) == "int32[2] 00000001 00000000");
  CHECK(after("bool=true", DType::float16) == "float16[] 3c00");
}

TEST_CASE("convert.v1: an integer fits a real dtype that has it exactly", "[io]") {
  CHECK(after("i32=16777216", DType::float32) == "float32[] 4b800000");
  CHECK(after("i32=16777217", DType::float32) == is_between(DType::float32, "16777217"));
  CHECK(after("i64=9007199254740993", DType::float64) ==
        is_between(DType::float64, "9007199254740993"));
  CHECK(after("u64=9223372036854775808", DType::float64) == "float64[] 43e0000000000000");
  CHECK(after("i64=9223372036854775807", DType::float64) ==
        is_between(DType::float64, "9223372036854775807"));
  CHECK(after("u64=18446744073709551615", DType::float64) ==
        is_between(DType::float64, "18446744073709551615"));
  CHECK(after("i64=-9223372036854775808", DType::float32) == "float32[] df000000");
  CHECK(after("2xi32=65504,-2048", DType::float16) == "float16[2] 7bff e800");
  CHECK(after("i32=65520", DType::float16) == does_not_fit("", DType::float16, "65520"));
  CHECK(after("i32=2049", DType::float16) == is_between(DType::float16, "2049"));
  CHECK(after("i32=256", DType::bfloat16) == "bfloat16[] 4380");
  CHECK(after("i32=257", DType::bfloat16) == is_between(DType::bfloat16, "257"));
}

TEST_CASE("convert.v1: a real value fits an integer dtype if it is whole and in range", "[io]") {
  CHECK(after("3xf64=3,-0.0,-128", DType::int8) == "int8[3] 03 00 80");
  CHECK(after("f64=0.5", DType::int8) == is_between(DType::int8, "0.5"));
  CHECK(after("f64=128", DType::int8) == does_not_fit("", DType::int8, "128.0"));
  CHECK(after("f64=-1", DType::uint8) == does_not_fit("", DType::uint8, "-1.0"));
  CHECK(after("f64=9223372036854774784", DType::int64) == "int64[] 7ffffffffffffc00");
  CHECK(after("f64=9223372036854775808", DType::int64) ==
        does_not_fit("", DType::int64, "9223372036854776000.0"));
  CHECK(after("f64=9223372036854775808", DType::uint64) == "uint64[] 8000000000000000");
  CHECK(after("f32=nan", DType::int32) == does_not_fit("", DType::int32, "\"NaN\""));
  CHECK(after("f32=-inf", DType::int32) == does_not_fit("", DType::int32, "\"-Infinity\""));
  CHECK(after("2xf16=0,1", DType::boolean) == "bool[2] 00 01");
  CHECK(after("f16=0.5", DType::boolean) == does_not_fit("", DType::boolean, "0.5"));
}

TEST_CASE("convert.v1: a real value fits a narrower dtype if it comes back", "[io]") {
  CHECK(after("5xf64=0.5,-0.0,inf,-inf,nan", DType::float32) ==
        "float32[5] 3f000000 80000000 7f800000 ff800000 7fc00000");
  CHECK(after("5xf32=0.5,-0.0,inf,-inf,nan", DType::float16) ==
        "float16[5] 3800 8000 7c00 fc00 7e00");
  CHECK(after("5xf32=0.5,-0.0,inf,-inf,nan", DType::bfloat16) ==
        "bfloat16[5] 3f00 8000 7f80 ff80 7fc0");
  CHECK(after("5xf16=0.5,-0.0,inf,-inf,nan", DType::float64) ==
        "float64[5] 3fe0000000000000 8000000000000000 7ff0000000000000 fff0000000000000 "
        "7ff8000000000000");
  CHECK(after("f64=0.1", DType::float32) == is_between(DType::float32, "0.1"));
  CHECK(after("f32=0.1", DType::float64) == "float64[] 3fb99999a0000000");
  CHECK(after("f64=1e300", DType::float32) == does_not_fit("", DType::float32, "1e+300"));
  CHECK(after("f32=65520", DType::float16) == does_not_fit("", DType::float16, "65520.0"));
  CHECK(after("f64=5.960464477539063e-08", DType::float16) == "float16[] 0001");
  CHECK(after("f64=2.9802322387695312e-08", DType::float16) ==
        is_between(DType::float16, "2.9802322387695312e-08"));
  CHECK(after("bf16=1e38", DType::float16).ends_with("[convert.v1]"));
}

TEST_CASE("convert.v1: a NaN keeps its sign and payload, or is refused", "[io]") {
  const auto bits = [](std::uint64_t value) {
    return of<double>({}, {std::bit_cast<double>(value)});
  };
  const auto single = [&](std::uint64_t value) {
    std::uint32_t result = 0;
    const Tensor tensor = converted(bits(value), DType::float32, nullptr);
    std::memcpy(&result, native_content(tensor).data(), sizeof result);
    return result;
  };
  CHECK(single(0xFFF8000000000000) == 0xFFC00000);
  CHECK(single(0x7FFC000020000000) == 0x7FE00001);
  CHECK(refusal([&] { single(0x7FF8000000000001); }) == is_between(DType::float32, "\"NaN\""));
  CHECK(refusal([&] { single(0x7FF0000000000001); }) == is_between(DType::float32, "\"NaN\""));
}

TEST_CASE("convert.v1: a complex value fits a real dtype without an imaginary part", "[io]") {
  CHECK(after("2xc64=1,-2", DType::int8) == "int8[2] 01 fe");
  CHECK(after("c64=1+2j", DType::float64) == does_not_fit("", DType::float64, "[1.0, 2.0]"));
  CHECK(after("c64=1-0j", DType::float64) == does_not_fit("", DType::float64, "[1.0, -0.0]"));
  CHECK(after("c128=0.5-2j", DType::complex64) == "complex64[] c00000003f000000");
  CHECK(after("c128=0.1-2j", DType::complex64) == is_between(DType::complex64, "[0.1, -2.0]"));
  CHECK(after("i32=16777217", DType::complex64) == is_between(DType::complex64, "16777217"));
  CHECK(after("i32=16777217", DType::complex128) ==
        "complex128[] 00000000000000004170000010000000");
}

TEST_CASE("convert.v1: of several values that do not fit the first in row-major order is named",
          "[io]") {
  const std::vector<std::int32_t> values{0, 300, 500, 1, 2, 400};  // columns of a [2, 3]
  CHECK(refusal([&] {
          converted(of({2, 3}, values, MemoryOrder::fortran), DType::uint8, nullptr);
        }) == does_not_fit(" at [0, 1]", DType::uint8, "500"));
  std::vector<std::int32_t> many(200000, 7);
  many[150000] = 300;
  many[150001] = 301;
  CHECK(refusal([&] { converted(of({200000}, many), DType::uint8, nullptr); }) ==
        does_not_fit(" at [150000]", DType::uint8, "300"));
  many.resize(2000000, 302);  // several workers find one
  CHECK(refusal([&] { converted(of({2000000}, many), DType::uint8, nullptr); }) ==
        does_not_fit(" at [150000]", DType::uint8, "300"));
}

TEST_CASE("a converted tensor keeps its byte order and memory order, and is read in any ranges",
          "[io]") {
  std::vector<std::int16_t> values(200000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int16_t>(i * 7);
  const Tensor wide = converted(of({200000}, values), DType::int64, nullptr);
  for (const auto& [offset, size] : {std::pair{0, 11}, {5, 3}, {524280, 100}, {524285, 7}}) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    wide.source().read(offset, bytes);
    CHECK(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) ==
          native_content(wide).substr(static_cast<std::size_t>(offset), bytes.size()));
  }
  std::array<std::byte, 8> big{};
  big[3] = std::byte{2};  // element 1 in the order of the file
  const Tensor shorts({.type = ElementType::of(DType::int16, std::endian::big),
                       .shape = {2, 2},
                       .order = MemoryOrder::fortran},
                      std::span(big), "x");
  const Tensor ints = converted(shorts, DType::int32, nullptr);
  CHECK(ints.type() == ElementType::of(DType::int32, std::endian::big));
  CHECK(ints.order() == MemoryOrder::fortran);
  std::array<std::byte, 16> bytes{};
  ints.source().read(0, bytes);
  std::array<std::byte, 16> want{};
  want[7] = std::byte{2};
  CHECK(bytes == want);
}

TEST_CASE("convert.v3: a value is rounded to the nearest one, of two to the even one", "[io]") {
  CHECK(rounded("5xf32=1.1,-0.3,70,2049,2051", DType::float16) ==
        "float16[5] 3c66 b4cd 5460 6800 6802");
  CHECK(rounded("3xf32=1.1,257,inf", DType::bfloat16) == "bfloat16[3] 3f8d 4380 7f80");
  CHECK(rounded("2xf64=0.1,-1e-60", DType::float32) == "float32[2] 3dcccccd 80000000");
  CHECK(rounded("6xf32=0.5,1.5,-2.5,-0.3,126.5,3", DType::int8) == "int8[6] 00 02 fe 00 7e 03");
  CHECK(rounded("2xi64=16777217,16777219", DType::float32) == "float32[2] 4b800000 4b800002");
  CHECK(rounded("1xu64=18446744073709551615", DType::float64) == "float64[1] 43f0000000000000");
  CHECK(rounded("1xc128=0.1", DType::complex64) == "complex64[1] 000000003dcccccd");
  // The middle of two, and what is above it by less than float32 (float64) has.
  CHECK(rounded("1xf64=1.00048828125000001", DType::float16) == "float16[1] 3c00");
  CHECK(rounded("1xf64=1.0004882812500003", DType::float16) == "float16[1] 3c01");
  CHECK(rounded("1xi64=36169534507319297", DType::bfloat16) == "bfloat16[1] 5b01");
}

TEST_CASE("convert.v3: a NaN stays one, with what there is room for of its payload", "[io]") {
  const Tensor nans = of<std::uint32_t>({3}, {0x7FC00001, 0xFF802001, 0x7FFFFFFF});
  const Tensor floats({.type = ElementType::of(DType::float32), .shape = {3}}, nans.shared_source(),
                      "x");
  const Tensor halves = converted(floats, DType::float16, nullptr, nullptr, Rounding::nearest);
  const std::string bytes = native_content(halves);
  std::array<std::uint16_t, 3> bits{};
  std::memcpy(bits.data(), bytes.data(), sizeof bits);
  CHECK(bits == std::array<std::uint16_t, 3>{0x7E00, 0xFE01, 0x7FFF});
}

TEST_CASE("convert.v3: what is beyond a dtype is not rounded to it", "[io]") {
  const auto is_beyond = [](const std::string& place, DType to, const std::string& got) {
    return fmt::format(
        "x: the value{} must round to a number of {} (--cast unsafe), got {} [convert.v3]", place,
        info(to).name, got);
  };
  CHECK(rounded("2xf32=65519,65520", DType::float16) ==
        is_beyond(" at [1]", DType::float16, "65520.0"));
  CHECK(rounded("2xf64=1e38,-1e300", DType::float32) ==
        is_beyond(" at [1]", DType::float32, "-1e+300"));
  CHECK(rounded("2xf32=127.4,127.5", DType::int8) == is_beyond(" at [1]", DType::int8, "127.5"));
  CHECK(rounded("2xf32=-0.5,-0.6", DType::uint8) == is_beyond(" at [1]", DType::uint8, "-0.6"));
  CHECK(rounded("1xf32=nan", DType::int32) == is_beyond(" at [0]", DType::int32, "\"NaN\""));
  CHECK(rounded("1xf64=inf", DType::int64) == is_beyond(" at [0]", DType::int64, "\"Infinity\""));
  CHECK(rounded("1xi64=300", DType::int8) == is_beyond(" at [0]", DType::int8, "300"));
  CHECK(rounded("2xf32=1,0.3", DType::boolean) == is_beyond(" at [1]", DType::boolean, "0.3"));
  CHECK(rounded("1xi32=70000", DType::float16) == is_beyond(" at [0]", DType::float16, "70000"));
}

// Beside the oracle: numbers, the middles between two, and their neighbours.
TEST_CASE("convert.v3: float64 is rounded once to every float", "[io]") {
  for (const DType to : {DType::float16, DType::bfloat16, DType::float32}) {
    const oracle::RealFormat format = oracle::format_of(to);
    std::vector<double> values;
    property::Random random(20261126);
    for (int i = 0; i < 30000; ++i) {
      const std::uint64_t bits = random.bits() % (format.infinity() - 1);
      const double low = oracle::decoded(format, bits);
      const double middle = low + (oracle::decoded(format, bits + 1) - low) / 2;
      const double value = random.among(
          {low, middle, std::nextafter(middle, 0.0), std::nextafter(middle, HUGE_VAL)});
      values.push_back(random.chance(50) ? -value : value);
    }
    const Tensor tensor = of<double>({std::ssize(values)}, values);
    const std::string bytes =
        native_content(converted(tensor, to, nullptr, nullptr, Rounding::nearest));
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::array<std::byte, 4> expected{};
      oracle::store_pattern(format, oracle::encoded(format, values[i]), expected.data());
      const std::size_t size = info(to).size;
      if (std::memcmp(expected.data(), bytes.data() + i * size, size) != 0) ++wrong;
    }
    INFO(info(to).name);
    CHECK(wrong == 0);
  }
}

TEST_CASE("convert.v2: what has no values is refused", "[io]") {
  const std::array<std::byte, 8> zeros{};
  const auto of_opaque = [&](const char* descr, std::size_t size) {
    const Tensor tensor(
        {.type = {.dtype = DType::opaque, .size = size, .descr = descr}, .shape = {}},
        std::span(zeros).first(size), "x");
    return refusal([&] { converted(tensor, DType::int64, nullptr); });
  };
  CHECK(of_opaque("'<M8[ns]'", 8) ==
        "x: values that are converted must be of a numeric dtype, got <M8[ns] [convert.v2]");
  CHECK(of_opaque("'|V2'", 2) ==
        "x: values that are converted must be of a numeric dtype (--dtype says which), got |V2 "
        "[convert.v2]");
}

}  // namespace tscatter
