// The oracle's own float formats, against values from IEEE 754. tests/core/half_test.cpp compares
// all patterns with the library's.
#include "oracle/arithmetic.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "catch.hpp"

namespace tscatter::oracle {
namespace {

// How many patterns are not encoded back.
int lost_patterns(DType dtype) {
  const RealFormat format = format_of(dtype);
  int count = 0;
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const double value = decoded(format, pattern);
    if (!std::isnan(value) && encoded(format, value) != pattern) ++count;
  }
  return count;
}

std::uint64_t half(double value) { return encoded(format_of(DType::float16), value); }

}  // namespace

TEST_CASE("every float16 and bfloat16 pattern is encoded back", "[oracle]") {
  CHECK(lost_patterns(DType::float16) == 0);
  CHECK(lost_patterns(DType::bfloat16) == 0);
}

TEST_CASE("float16 and bfloat16 patterns decode as IEEE 754 says", "[oracle]") {
  const RealFormat small = format_of(DType::float16);
  CHECK(decoded(small, 0x3555) == 0.333251953125);
  CHECK(decoded(small, 0xFBFF) == -65504);
  CHECK(decoded(small, 0x0001) == 0x1p-24);
  CHECK(decoded(small, 0x0400) == 0x1p-14);
  CHECK(decoded(small, 0xFC00) == -HUGE_VAL);
  CHECK(std::isnan(decoded(small, 0x7C01)));
  const RealFormat brain = format_of(DType::bfloat16);
  CHECK(decoded(brain, 0x4049) == 3.140625);
  CHECK(decoded(brain, 0x0001) == 0x1p-133);
  CHECK(decoded(brain, 0x7F7F) == 0x1.FEp127);
  CHECK(std::isnan(decoded(brain, 0xFF81)));
}

TEST_CASE("encoding rounds to nearest even", "[oracle]") {
  CHECK(half(1.0) == 0x3C00);
  CHECK(half(1.0 + 0x1p-11) == 0x3C00);
  CHECK(half(1.0 + 0x1.8p-10) == 0x3C02);
  CHECK(half(65519.0) == 0x7BFF);
  CHECK(half(65520.0) == 0x7C00);
  CHECK(half(0x1p-25) == 0x0000);
  CHECK(half(0x1.8p-25) == 0x0001);
  CHECK(half(-0.0) == 0x8000);
  CHECK(half(0x1.ffcp-15) == 0x0400);
}

TEST_CASE("float32 and float64 patterns are those of the machine", "[oracle]") {
  for (const float value : {0.0F, -1.5F, 0x1p-149F, std::numeric_limits<float>::max()}) {
    CHECK(encoded(format_of(DType::float32), double{value}) == std::bit_cast<std::uint32_t>(value));
  }
  for (const double value : {0.1, -0x1p-1074, std::numeric_limits<double>::max()}) {
    CHECK(encoded(format_of(DType::float64), value) == std::bit_cast<std::uint64_t>(value));
    CHECK(decoded(format_of(DType::float64), std::bit_cast<std::uint64_t>(value)) == value);
  }
}

}  // namespace tscatter::oracle
