// The source of randomness: SplitMix64 as published, and choices that take turns.
#include "tscatter/generate/draws.hpp"

#include <set>

#include "catch.hpp"

namespace tscatter::generate {

TEST_CASE("split is SplitMix64: the published outputs for the seed 1234567", "[generate]") {
  CHECK(split(1234567, 0) == 6457827717110365317U);
  CHECK(split(1234567, 1) == 3203168211198807973U);
  CHECK(split(1234567, 2) == 9817491932198370423U);
  CHECK(split(1234567, 3) == 4593380528125082431U);
  CHECK(split(1234567, 4) == 16408922859458223821U);
}

TEST_CASE("a word depends on seed, case, stream and place", "[generate]") {
  const std::uint64_t word = Draws(7, 3).word(Stream::data, 5);
  CHECK(word == split(split(split(7, 3), 32), 5));
  CHECK(word != Draws(8, 3).word(Stream::data, 5));
  CHECK(word != Draws(7, 4).word(Stream::data, 5));
  CHECK(word != Draws(7, 3).word(Stream::updates, 5));
  CHECK(word != Draws(7, 3).word(Stream::data, 6));
}

TEST_CASE("n cases in a row that begin at a multiple of n each have another turn", "[generate]") {
  for (const std::size_t n : {1U, 2U, 3U, 11U, 27U, 86U}) {
    for (const std::uint64_t block : {0U, 1U, 5U}) {
      std::set<std::size_t> turns;
      for (std::size_t i = 0; i < n; ++i) {
        turns.insert(Draws(7, block * n + i).turn(Stream::frame, n));
      }
      CHECK(turns.size() == n);
      CHECK(*turns.rbegin() == n - 1);
    }
  }
}

}  // namespace tscatter::generate
