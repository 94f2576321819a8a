// Half and BFloat16 against the oracle's formats, which share no code with them: all patterns, and
// the floats at and around each rounding boundary.
#include "tscatter/core/half.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "catch.hpp"
#include "oracle/arithmetic.hpp"
#include "tscatter/core/dtype.hpp"

namespace tscatter {
namespace {

template <HalfWidth T>
T of_bits(std::uint32_t bits) {
  return std::bit_cast<T>(static_cast<std::uint16_t>(bits));
}

template <HalfWidth T>
std::uint16_t narrowed(float value) {
  return std::bit_cast<std::uint16_t>(T(value));
}

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

// How many patterns are not widened to the number that they mean, or not narrowed back.
template <HalfWidth T>
int wrong_patterns(const oracle::RealFormat& format) {
  int count = 0;
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const auto wide = static_cast<float>(of_bits<T>(pattern));
    const auto expected = static_cast<float>(oracle::decoded(format, pattern));
    if (std::isnan(expected)) {
      if (!std::isnan(wide) || !std::isnan(static_cast<double>(of_bits<T>(pattern)))) ++count;
      continue;
    }
    if (bits_of(wide) != bits_of(expected)) ++count;
    if (static_cast<double>(of_bits<T>(pattern)) != double{wide}) ++count;
    if (narrowed<T>(wide) != pattern) ++count;
  }
  return count;
}

// How many floats are rounded differently from the oracle: for each pattern, the number halfway to
// the next one and the floats on both sides of it.
template <HalfWidth T>
int wrong_roundings(const oracle::RealFormat& format, int fraction_bits) {
  int count = 0;
  const std::uint32_t last = (std::uint32_t{1} << (15 - fraction_bits)) - 1;
  for (std::uint32_t pattern = 0; pattern < last << fraction_bits; ++pattern) {
    const auto below = static_cast<float>(of_bits<T>(pattern));
    const std::uint32_t ulp = pattern >> fraction_bits;
    const int exponent = std::max(static_cast<int>(ulp), 1) - format.bias() - fraction_bits;
    const float halfway = below + std::ldexp(0.5F, exponent);
    for (const float towards : {0.0F, halfway, HUGE_VALF}) {
      const float value = std::nextafter(halfway, towards);
      if (narrowed<T>(value) != oracle::encoded(format, double{value})) ++count;
      if (narrowed<T>(-value) != oracle::encoded(format, -double{value})) ++count;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("half: every pattern is widened to its number, and narrowed to itself") {
  CHECK(wrong_patterns<Half>(oracle::format_of(DType::float16)) == 0);
  CHECK(wrong_patterns<BFloat16>(oracle::format_of(DType::bfloat16)) == 0);
}

TEST_CASE("half: floats are rounded to nearest even, and beyond the largest to infinity") {
  CHECK(wrong_roundings<Half>(oracle::format_of(DType::float16), 10) == 0);
  CHECK(wrong_roundings<BFloat16>(oracle::format_of(DType::bfloat16), 7) == 0);
  CHECK(narrowed<Half>(std::numeric_limits<float>::max()) == 0x7C00);
  CHECK(narrowed<BFloat16>(-std::numeric_limits<float>::max()) == 0xFF80);
  CHECK(narrowed<Half>(65536.0F) == 0x7C00);
  CHECK(narrowed<Half>(-73728.0F) == 0xFC00);
  CHECK(narrowed<Half>(std::numeric_limits<float>::denorm_min()) == 0);
}

TEST_CASE("half: a NaN keeps its bits when it is widened, and its sign alone when it is rounded") {
  CHECK(bits_of(static_cast<float>(of_bits<Half>(0xFE01))) == 0xFFC02000);
  CHECK(bits_of(static_cast<float>(of_bits<Half>(0x7FFF))) == 0x7FFFE000);
  CHECK(bits_of(static_cast<float>(of_bits<BFloat16>(0xFFC1))) == 0xFFC10000);
  for (const std::uint32_t payload : {0x7F800001U, 0x7FC00000U, 0x7FFFFFFFU}) {
    CHECK(narrowed<Half>(std::bit_cast<float>(payload)) == 0x7E00);
    CHECK(narrowed<Half>(std::bit_cast<float>(payload | 0x80000000U)) == 0xFE00);
    CHECK(narrowed<BFloat16>(std::bit_cast<float>(payload)) == 0x7FC0);
    CHECK(narrowed<BFloat16>(std::bit_cast<float>(payload | 0x80000000U)) == 0xFFC0);
  }
}

TEST_CASE("half: a step of arithmetic is rounded once") {
  CHECK(std::bit_cast<std::uint16_t>(Half(2048.0F) + Half(1.0F)) == 0x6800);
  CHECK(std::bit_cast<std::uint16_t>(Half(1.0F) - Half(3.0F)) == 0xC000);
  CHECK(std::bit_cast<std::uint16_t>(Half(300.0F) * Half(300.0F)) == 0x7C00);
  CHECK(std::bit_cast<std::uint16_t>(BFloat16(257.0F) * BFloat16(1.0F)) == 0x4380);
}

}  // namespace tscatter
