// The oracle's own float formats, against values from IEEE 754 and, in full, against Eigen's
// conversions.
#include "oracle/arithmetic.hpp"

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <limits>

#include "catch.hpp"

namespace tscatter::oracle {
namespace {

template <class Small>
int disagreements(DType dtype) {
  const RealFormat format = format_of(dtype);
  int count = 0;
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const auto eigen =
        static_cast<float>(std::bit_cast<Small>(static_cast<std::uint16_t>(pattern)));
    const double ours = decoded(format, pattern);
    if (std::isnan(ours) != std::isnan(eigen)) ++count;
    if (std::isnan(ours)) continue;
    if (ours != double{eigen} || std::signbit(ours) != std::signbit(eigen)) ++count;
    if (encoded(format, ours) != pattern) ++count;
  }
  return count;
}

std::uint64_t half(double value) { return encoded(format_of(DType::float16), value); }

}  // namespace

TEST_CASE("every float16 and bfloat16 pattern decodes as Eigen's and encodes back", "[oracle]") {
  CHECK(disagreements<Eigen::half>(DType::float16) == 0);
  CHECK(disagreements<Eigen::bfloat16>(DType::bfloat16) == 0);
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
