// The library's own 128-bit integer against the compiler's, or Boost's.
#include "tscatter/core/int128.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "oracle/int128.hpp"
#include "property/random.hpp"

namespace tscatter {
namespace {

// Words at the ends of their range, and any.
std::int64_t word(property::Random& random) {
  const auto any = static_cast<std::int64_t>(random.bits());
  switch (random.between(0, 4)) {
    case 0: return random.between(-2, 2);
    case 1: return std::numeric_limits<std::int64_t>::max() - random.between(0, 2);
    case 2: return std::numeric_limits<std::int64_t>::min() + random.between(0, 2);
    case 3: return any >> random.between(0, 63);
    default: return any;
  }
}

// To the nearest, ties to even. Boost rounds for each part of the number.
long double rounded(const oracle::Int128& value) {
  const oracle::Int128 magnitude = value < 0 ? oracle::Int128{-value} : value;
  int shift = 0;
  while (magnitude >> shift >= oracle::Int128{1} << std::numeric_limits<long double>::digits)
    ++shift;
  oracle::Int128 digits = magnitude >> shift;
  if (shift > 0) {
    const oracle::Int128 half = oracle::Int128{1} << (shift - 1);
    const oracle::Int128 rest = magnitude - (digits << shift);
    if (rest > half || (rest == half && digits % 2 != 0)) ++digits;
  }
  const long double result = std::ldexp(static_cast<long double>(digits), shift);
  return value < 0 ? -result : result;
}

}  // namespace

TEST_CASE("sums of products are those of 128 bits, rounded once", "[core]") {
  property::Random random(128);
  for (int i = 0; i < 2000; ++i) {
    Int128 sum;
    oracle::Int128 expected = 0;
    for (int terms = 0; terms < 3; ++terms) {
      const std::int64_t value = word(random);
      const std::int64_t count = word(random) >> 2;
      sum += Int128{value} * Int128{count};
      expected += oracle::Int128{value} * oracle::Int128{count};
      REQUIRE(static_cast<long double>(sum) == rounded(expected));
    }
  }
}

TEST_CASE("products are in the order of their values", "[core]") {
  property::Random random(129);
  for (int i = 0; i < 2000; ++i) {
    const auto [a, b, c] = std::array{word(random), word(random), word(random)};
    const std::int64_t d = random.chance(50) ? b : word(random);
    const bool expected = oracle::Int128{a} * b < oracle::Int128{c} * d;
    REQUIRE((Int128{a} * Int128{b} < Int128{c} * Int128{d}) == expected);
  }
}

TEST_CASE("unsigned words keep their value", "[core]") {
  const Int128 largest{std::numeric_limits<std::uint64_t>::max()};
  CHECK(static_cast<long double>(largest + Int128{1}) == 18446744073709551616.0L);
  CHECK(static_cast<long double>(largest * Int128{-1}) == -18446744073709551615.0L);
  CHECK(static_cast<long double>(Int128{}) == 0.0L);
}

}  // namespace tscatter
