// Numbers that are given as words, and what elements make of them.
#include "tscatter/core/number.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "catch.hpp"

namespace tscatter {
namespace {

// The word that comes back; "-" if there is no number.
std::string again(std::string_view text) {
  const auto number = number_of(text);
  return number ? to_string(*number) : "-";
}

// The number as an element of the dtype has it; "-" if it does not fit.
std::string in(DType dtype, std::string_view text) {
  const auto number = fitted(*number_of(text), dtype);
  return number ? to_string(*number) : "-";
}

}  // namespace

TEST_CASE("a number is read from its word and written back", "[core]") {
  for (const char* const text : {"0", "7", "-1", "18446744073709551615", "-9223372036854775808",
                                 "0.5", "-0.1", "inf", "-inf", "nan", "1e+300"})
    CHECK(again(text) == text);
  CHECK(again("-0") == "-0");
  CHECK(std::signbit(std::get<double>(*number_of("-0"))));
  CHECK(again("1e2") == "100");
  CHECK(again("Infinity") == "inf");
  for (const char* const text : {"", "-", "x", "1x", " 1", "1 ", "+1", "0x10", "1,5", "true"})
    CHECK(again(text) == "-");
}

TEST_CASE("a number fits a dtype if an element has it", "[core]") {
  CHECK(in(DType::int8, "127") == "127");
  CHECK(in(DType::int8, "128") == "-");
  CHECK(in(DType::int8, "-128") == "-128");
  CHECK(in(DType::int8, "-129") == "-");
  CHECK(in(DType::uint8, "-1") == "-");
  CHECK(in(DType::uint64, "18446744073709551615") == "18446744073709551615");
  CHECK(in(DType::int64, "9223372036854775808") == "-");
  CHECK(in(DType::int32, "1.0") == "1");
  CHECK(in(DType::int32, "1.5") == "-");
  CHECK(in(DType::int8, "1e3") == "-");
  CHECK(in(DType::uint64, "1e19") == "10000000000000000000");
  CHECK(in(DType::uint64, "1e20") == "-");
  CHECK(in(DType::int32, "inf") == "-");
  CHECK(in(DType::boolean, "1") == "1");
  CHECK(in(DType::boolean, "2") == "-");
  CHECK(in(DType::opaque, "1") == "-");
  CHECK(in(DType::float16, "65504") == "65504");
  CHECK(in(DType::float16, "65520") == "-");
  CHECK(in(DType::float16, "-inf") == "-inf");
  CHECK(in(DType::complex64, "nan") == "nan");
  CHECK(in(DType::float32, "1e300") == "-");
}

TEST_CASE("a number with a fraction is rounded once, to nearest even", "[core]") {
  CHECK(in(DType::float64, "0.1") == "0.1");
  CHECK(in(DType::float32, "0.1") == "0.10000000149011612");
  CHECK(in(DType::float16, "0.1") == "0.0999755859375");
  // Beside a tie of float16 by less than a float32 shows.
  CHECK(in(DType::float16, "1.00048828125") == "1");
  CHECK(in(DType::float16, "1.0004882812500003") == "1.0009765625");
  CHECK(in(DType::bfloat16, "1.00390625") == "1");
  CHECK(in(DType::bfloat16, "1.0039062500000002") == "1.0078125");
  CHECK(in(DType::float32, "-0.0") == "-0");
}

}  // namespace tscatter
