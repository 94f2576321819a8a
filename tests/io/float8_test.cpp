// The values of floats of 8 bits, by their codes.
#include "tscatter/core/float8.hpp"

#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/io/formats/float8_numbers.hpp"

namespace tscatter {
namespace {

float value(std::string_view name, int code) {
  return float8_values(*float8_named(name))[static_cast<std::size_t>(code)];
}

}  // namespace

TEST_CASE("the ends of each float8 are those that its text says", "[io]") {
  CHECK(value("float8_e4m3fn", 0x38) == 1);
  CHECK(value("float8_e4m3fn", 0x01) == 0x1p-9F);
  CHECK(value("float8_e4m3fn", 0x7E) == 448);
  CHECK(std::isnan(value("float8_e4m3fn", 0x7F)));
  CHECK(std::isnan(value("float8_e4m3fn", 0xFF)));
  CHECK(value("float8_e5m2", 0x3C) == 1);
  CHECK(value("float8_e5m2", 0x01) == 0x1p-16F);
  CHECK(value("float8_e5m2", 0x7B) == 57344);
  CHECK(value("float8_e5m2", 0xFC) == -INFINITY);
  CHECK(std::isnan(value("float8_e5m2", 0x7D)));
  CHECK(value("float8_e8m0fnu", 0x00) == 0x1p-127F);
  CHECK(value("float8_e8m0fnu", 0x7F) == 1);
  CHECK(value("float8_e8m0fnu", 0xFE) == 0x1p127F);
  CHECK(std::isnan(value("float8_e8m0fnu", 0xFF)));
  CHECK(value("float8_e4m3fnuz", 0x40) == 1);
  CHECK(value("float8_e4m3fnuz", 0x7F) == 240);
  CHECK(std::isnan(value("float8_e4m3fnuz", 0x80)));
  CHECK(value("float8_e5m2fnuz", 0x40) == 1);
  CHECK(value("float8_e5m2fnuz", 0x7F) == 57344);
  CHECK(std::isnan(value("float8_e5m2fnuz", 0x80)));
  CHECK(std::signbit(value("float8_e4m3fn", 0x80)));
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
