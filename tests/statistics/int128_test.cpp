// The library's own 128 bits against those of the compiler, or of Boost.
#include "tscatter/statistics/int128.hpp"

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

}  // namespace

TEST_CASE("sums of products are those of 128 bits, rounded once", "[statistics]") {
  property::Random random(128);
  for (int i = 0; i < 2000; ++i) {
    Int128 sum;
    oracle::Int128 expected = 0;
    for (int terms = 0; terms < 3; ++terms) {
      const std::int64_t value = word(random);
      const std::int64_t count = word(random) >> 2;
      sum += Int128{value} * Int128{count};
      expected += oracle::Int128{value} * oracle::Int128{count};
      REQUIRE(static_cast<long double>(sum) == static_cast<long double>(expected));
    }
  }
}

TEST_CASE("unsigned words keep their value", "[statistics]") {
  const Int128 largest{std::numeric_limits<std::uint64_t>::max()};
  CHECK(static_cast<long double>(largest + Int128{1}) == 18446744073709551616.0L);
  CHECK(static_cast<long double>(largest * Int128{-1}) == -18446744073709551615.0L);
  CHECK(static_cast<long double>(Int128{}) == 0.0L);
}

}  // namespace tscatter
