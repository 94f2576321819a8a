// The values of floats of 8 bits, by their codes.
#include "tscatter/core/float8.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/conversion.hpp"

namespace tscatter {
namespace {

float float8_value(std::string_view name, int code) {
  return float8_values(*float8_named(name))[static_cast<std::size_t>(code)];
}

}  // namespace

TEST_CASE("the ends of each float8 are those that its text says", "[io]") {
  CHECK(float8_value("float8_e4m3fn", 0x38) == 1);
  CHECK(float8_value("float8_e4m3fn", 0x01) == 0x1p-9F);
  CHECK(float8_value("float8_e4m3fn", 0x7E) == 448);
  CHECK(std::isnan(float8_value("float8_e4m3fn", 0x7F)));
  CHECK(std::isnan(float8_value("float8_e4m3fn", 0xFF)));
  CHECK(float8_value("float8_e5m2", 0x3C) == 1);
  CHECK(float8_value("float8_e5m2", 0x01) == 0x1p-16F);
  CHECK(float8_value("float8_e5m2", 0x7B) == 57344);
  CHECK(float8_value("float8_e5m2", 0xFC) == -INFINITY);
  CHECK(std::isnan(float8_value("float8_e5m2", 0x7D)));
  CHECK(float8_value("float8_e8m0fnu", 0x00) == 0x1p-127F);
  CHECK(float8_value("float8_e8m0fnu", 0x7F) == 1);
  CHECK(float8_value("float8_e8m0fnu", 0xFE) == 0x1p127F);
  CHECK(std::isnan(float8_value("float8_e8m0fnu", 0xFF)));
  CHECK(float8_value("float8_e4m3fnuz", 0x40) == 1);
  CHECK(float8_value("float8_e4m3fnuz", 0x7F) == 240);
  CHECK(std::isnan(float8_value("float8_e4m3fnuz", 0x80)));
  CHECK(float8_value("float8_e5m2fnuz", 0x40) == 1);
  CHECK(float8_value("float8_e5m2fnuz", 0x7F) == 57344);
  CHECK(std::isnan(float8_value("float8_e5m2fnuz", 0x80)));
  CHECK(float8_value("float8_e3m4", 0x30) == 1);
  CHECK(float8_value("float8_e3m4", 0x6F) == 15.5);
  CHECK(float8_value("float8_e3m4", 0x70) == INFINITY);
  CHECK(float8_value("float8_e4m3", 0x77) == 240);
  CHECK(float8_value("float8_e4m3", 0xF8) == -INFINITY);
  CHECK(std::isnan(float8_value("float8_e4m3", 0x7C)));
  CHECK(float8_value("float8_e4m3b11fnuz", 0x58) == 1);
  CHECK(float8_value("float8_e4m3b11fnuz", 0x7F) == 30);
  CHECK(std::signbit(float8_value("float8_e4m3fn", 0x80)));
}

namespace {

std::uint8_t code_of(std::string_view name, double number,
                     Float8Overflow overflow = Float8Overflow::ends) {
  return Float8Encoder(*float8_named(name), overflow)(number);
}

// The finite numbers of one sign, in ascending order, and their codes.
std::vector<std::pair<double, int>> ascending(const Float8& format) {
  const auto values = float8_values(format);
  std::vector<std::pair<double, int>> numbers;
  for (int code = 0; code < 256; ++code) {
    const auto value = static_cast<double>(values[static_cast<std::size_t>(code)]);
    if (std::isfinite(value) && !std::signbit(value)) numbers.emplace_back(value, code);
  }
  std::ranges::sort(numbers);
  return numbers;
}

double below(double number) { return std::nextafter(number, -INFINITY); }
double above(double number) { return std::nextafter(number, INFINITY); }

}  // namespace

TEST_CASE("each float8 comes back from its number, and each NaN as a NaN", "[io]") {
  for (const Float8& format : float8_table()) {
    const auto values = float8_values(format);
    const Float8Encoder encoder(format, Float8Overflow::ends);
    for (int code = 0; code < 256; ++code) {
      INFO(format.name << " " << code);
      const auto number = static_cast<double>(values[static_cast<std::size_t>(code)]);
      const std::uint8_t back = encoder(number);
      if (std::isnan(number)) {
        CHECK(std::isnan(values[back]));
      } else {
        CHECK(back == code);
      }
    }
  }
}

TEST_CASE("between two float8 the nearer one is taken, and in the middle the even one", "[io]") {
  for (const Float8& format : float8_table()) {
    const Float8Encoder encoder(format, Float8Overflow::ends);
    const bool has_sign = format.ends != Float8Ends::exponent;
    const auto numbers = ascending(format);
    for (std::size_t i = 1; i < numbers.size(); ++i) {
      const auto [low, low_code] = numbers[i - 1];
      const auto [high, high_code] = numbers[i];
      const double middle = (low + high) / 2;
      // A power of two without a fraction has an odd significand, and so goes up.
      const bool goes_up = !has_sign || low_code % 2 != 0;
      INFO(format.name << " between " << low << " and " << high);
      CHECK(encoder(above(low)) == low_code);
      CHECK(encoder(below(middle)) == low_code);
      CHECK(encoder(middle) == (goes_up ? high_code : low_code));
      CHECK(encoder(above(middle)) == high_code);
      CHECK(encoder(below(high)) == high_code);
      if (!has_sign) continue;
      const bool is_zero = format.ends == Float8Ends::unsigned_zero && low_code == 0;
      CHECK(encoder(-below(middle)) == (is_zero ? 0 : low_code + 0x80));
      CHECK(encoder(-above(middle)) == high_code + 0x80);
    }
  }
}

TEST_CASE("beyond a float8's largest number is what its text says, or that number", "[io]") {
  struct End {
    std::string_view name;
    double largest, limit;  // limit: the first that is not rounded to the largest
    int code, beyond, negative;
  };
  const double first_after_464 = above(464);
  for (const End& end : {End{"float8_e4m3fn", 448, first_after_464, 0x7E, 0x7F, 0xFF},
                         End{"float8_e5m2", 57344, 61440, 0x7B, 0x7C, 0xFC},
                         End{"float8_e4m3fnuz", 240, 248, 0x7F, 0x80, 0x80},
                         End{"float8_e5m2fnuz", 57344, 61440, 0x7F, 0x80, 0x80},
                         End{"float8_e3m4", 15.5, 15.75, 0x6F, 0x70, 0xF0},
                         End{"float8_e4m3", 240, 248, 0x77, 0x78, 0xF8},
                         End{"float8_e4m3b11fnuz", 30, 31, 0x7F, 0x80, 0x80},
                         End{"float8_e8m0fnu", 0x1p127, 0x1.8p127, 0xFE, 0xFF, 0xFF}}) {
    INFO(end.name);
    const bool has_sign = end.name != "float8_e8m0fnu";
    CHECK(code_of(end.name, end.largest) == end.code);
    CHECK(code_of(end.name, below(end.limit)) == end.code);
    for (const double number : {end.limit, 1e300, static_cast<double>(INFINITY)}) {
      CHECK(code_of(end.name, number) == end.beyond);
      CHECK(code_of(end.name, -number) == end.negative);
      CHECK(code_of(end.name, number, Float8Overflow::saturated) == end.code);
      CHECK(code_of(end.name, -number, Float8Overflow::saturated) ==
            (has_sign ? end.code + 0x80 : 0xFF));
    }
  }
  CHECK(code_of("float8_e5m2", -NAN) == 0xFE);
  CHECK(code_of("float8_e4m3fn", NAN, Float8Overflow::saturated) == 0x7F);
  CHECK(code_of("float8_e4m3fnuz", -NAN) == 0x80);
  CHECK(code_of("float8_e4m3fnuz", -0.0) == 0);
  CHECK(code_of("float8_e4m3fn", -0.0) == 0x80);
  CHECK(code_of("float8_e8m0fnu", 0) == 0xFF);
  CHECK(code_of("float8_e8m0fnu", 1e-300) == 0);
  CHECK(code_of("float8_e8m0fnu", -1) == 0xFF);
}

namespace {

// `elements`: of the dtype, as many as `count`, in native byte order.
template <class T>
Tensor tensor_of(DType dtype, std::int64_t count, std::vector<T> elements) {
  return {
      {.type = ElementType::of(dtype), .shape = {count}}, owned_source(std::move(elements)), "x"};
}

std::string codes_of(const Tensor& tensor, std::string_view name, Rounding rounding) {
  return content(as_float8(tensor, *float8_named(name), rounding, nullptr));
}

std::string refusal_of(const Tensor& tensor, std::string_view name, Rounding rounding) {
  return refusal([&] { codes_of(tensor, name, rounding); });
}

}  // namespace

TEST_CASE("convert.v1: a number that a float8 does not have is refused, or rounded as asked",
          "[io]") {
  const auto floats = tensor_of<double>(DType::float64, 4, {1, -0.0, 0.1, 1000});
  CHECK(
      refusal_of(floats, "float8_e4m3fn", Rounding::refused) ==
      "x: the value at [2] must fit float8_e4m3fn exactly (--round nearest), got 0.1 [convert.v1]");
  CHECK(codes_of(floats, "float8_e4m3fn", Rounding::nearest) == "\x38\x80\x1D\x7F");
  CHECK(codes_of(floats, "float8_e4m3fn", Rounding::saturated) == "\x38\x80\x1D\x7E");
  const auto zero = tensor_of<double>(DType::float64, 1, {-0.0});
  CHECK(refusal_of(zero, "float8_e4m3fnuz", Rounding::refused) ==
        "x: the value at [0] must fit float8_e4m3fnuz exactly (--round nearest), got -0.0 "
        "[convert.v1]");
  const auto nan = tensor_of<double>(DType::float64, 1, {NAN});
  CHECK(codes_of(nan, "float8_e4m3fnuz", Rounding::refused) == "\x80");
  const auto booleans = tensor_of<std::uint8_t>(DType::boolean, 3, {0, 1, 7});
  CHECK(codes_of(booleans, "float8_e5m2", Rounding::refused) == std::string("\0\x3C\x3C", 3));
  const auto complex = tensor_of<float>(DType::complex64, 2, {2, 0, 1, 1});
  CHECK(refusal_of(complex, "float8_e5m2", Rounding::nearest) ==
        "x: the value at [1] must fit float8_e5m2 exactly (--cast unsafe), got [1.0, 1.0] "
        "[convert.v1]");
}

TEST_CASE("integers are rounded to float8 once, not to float64 before", "[io]") {
  constexpr std::int64_t middle = std::int64_t{3} << 61;  // of 2^62 and 2^63
  const auto integers = tensor_of<std::int64_t>(DType::int64, 4, {2, -3, middle - 1, middle + 1});
  CHECK(codes_of(integers, "float8_e8m0fnu", Rounding::nearest) == "\x80\xFF\xBD\xBE");
  const auto large = tensor_of<std::uint64_t>(DType::uint64, 2,
                                              {2 * std::uint64_t{middle} - 1, ~std::uint64_t{0}});
  CHECK(codes_of(large, "float8_e8m0fnu", Rounding::nearest) == "\xBE\xBF");
}

TEST_CASE("convert.v2: a float8 becomes another one, by its numbers, and records do not", "[io]") {
  const Tensor fn({.type = element_type_of(*float8_named("float8_e4m3fn")), .shape = {2}},
                  bytes_of("\x38\x7E"));
  CHECK(codes_of(fn, "float8_e5m2", Rounding::nearest) == "\x3C\x5F");
  CHECK(codes_of(fn, "float8_e4m3fn", Rounding::refused) == "\x38\x7E");
  const Tensor records(
      {.type = {.dtype = DType::opaque, .size = 1, .descr = "'|V1'"}, .shape = {2}},
      bytes_of("\x38\x7E"), "x");
  CHECK(refusal_of(records, "float8_e5m2", Rounding::nearest) ==
        "x: values that are converted must be of a numeric dtype (--dtype says which), got |V1 "
        "[convert.v2]");
}

TEST_CASE("a float8 tensor is read as float32, from any byte on", "[io]") {
  const std::string_view codes("\x38\xC0\x30", 3);  // 1, -2, 0.5
  const Tensor tensor({.type = element_type_of(*float8_named("FLOAT8_E4M3FN")), .shape = {3}},
                      bytes_of(codes));
  const Tensor numbers = as_numbers(tensor);
  CHECK(to_string(numbers.type()) == "float32");
  const std::string whole = content(numbers);
  const std::array<float, 3> wanted{1, -2, 0.5};
  CHECK(whole == text_of(std::as_bytes(std::span(wanted))));
  for (std::size_t begin = 0; begin < whole.size(); ++begin) {
    for (std::size_t end = begin; end <= whole.size(); ++end) {
      std::string part(end - begin, 'x');
      numbers.source().read(static_cast<std::int64_t>(begin),
                            std::as_writable_bytes(std::span(part)));
      CHECK(part == whole.substr(begin, end - begin));
    }
  }
  const Tensor bytes({.type = ElementType::of(DType::uint8), .shape = {3}}, bytes_of(codes));
  CHECK(to_string(as_numbers(bytes).type()) == "uint8");
}

}  // namespace tscatter
