// DestinationTable counts as a set does: random destinations, those of a stride, and those that all
// meet in one place of the table.
#include <random>
#include <set>
#include <vector>

#include "catch.hpp"
#include "tscatter/engine/grouped_entries.hpp"

namespace tscatter {
namespace {

// Whether the table counts what a set counts. Every third destination is dropped.
template <class T>
bool counts_as_a_set(std::vector<T> destinations) {
  std::set<T> distinct;
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    if (i % 3 == 0) destinations[i] = dropped_entry<T>;
    if (!is_dropped(destinations[i])) distinct.insert(destinations[i]);
  }
  const std::int64_t counted = DestinationTable<T>().count(destinations);
  return counted == static_cast<std::int64_t>(distinct.size());
}

}  // namespace

TEST_CASE("distinct destinations: random ones, from all equal to all different", "[engine]") {
  std::mt19937_64 random(5);
  for (const std::size_t count : {0U, 1U, 2U, 3U, 100U, 5000U}) {
    for (const std::uint64_t below :
         {std::uint64_t{1}, std::uint64_t{40}, std::uint64_t{1} << 31}) {
      std::vector<std::uint64_t> long_ones(count);
      std::vector<std::uint32_t> short_ones(count);
      for (std::size_t i = 0; i < count; ++i) {
        long_ones[i] = random() % below * ((std::uint64_t{1} << 32) + 1);
        short_ones[i] = static_cast<std::uint32_t>(random() % below);
      }
      INFO(count << " below " << below);
      CHECK(counts_as_a_set(long_ones));
      CHECK(counts_as_a_set(short_ones));
    }
  }
}

TEST_CASE("distinct destinations: those of a stride", "[engine]") {
  for (std::uint64_t stride = 1; stride < std::uint64_t{1} << 50; stride *= 2) {
    std::vector<std::uint64_t> destinations(3000);
    for (std::size_t i = 0; i < destinations.size(); ++i) destinations[i] = i * stride;
    INFO(stride);
    CHECK(counts_as_a_set(destinations));
  }
}

TEST_CASE("distinct destinations: 40,000 that meet in one place of the table are sorted",
          "[engine]") {
  constexpr std::uint64_t inverse = 0xF1DE83E19937733D;  // of the table's factor, modulo 2^64
  static_assert(inverse * 0x9E3779B97F4A7C15 == 1);
  std::vector<std::uint64_t> destinations(40000);
  for (std::size_t i = 0; i < destinations.size(); ++i) destinations[i] = i / 2 * inverse;
  CHECK(counts_as_a_set(destinations));
}

}  // namespace tscatter
