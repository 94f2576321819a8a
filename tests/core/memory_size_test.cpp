// Counts that no memory can hold, which files and literals may have.
#include <limits>
#include <new>

#include "catch.hpp"
#include "tscatter/core/buffer.hpp"
#include "tscatter/core/memory.hpp"
#include "tscatter/plan/destination_list.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::ptrdiff_t>::max();

}  // namespace

TEST_CASE("memory_size: a count is a size as long as memory can be addressed", "[core]") {
  CHECK(memory_size(0, 8) == 0);
  CHECK(memory_size(7) == 7);
  CHECK(memory_size(largest / 8, 8) == static_cast<std::size_t>(largest / 8));
  CHECK_THROWS_AS(memory_size(largest / 8 + 1, 8), std::bad_alloc);
  CHECK_THROWS_AS(memory_size(std::numeric_limits<std::int64_t>::max(), 16), std::bad_alloc);
}

TEST_CASE("memory_size: on a 32-bit machine 4 GiB are too much, and no 0", "[core]") {
  constexpr std::int64_t gib4 = std::int64_t{1} << 32;
  if constexpr (sizeof(std::size_t) == 4) {
    CHECK(memory_size(largest) == static_cast<std::size_t>(largest));
    CHECK_THROWS_AS(memory_size(std::int64_t{1} << 31), std::bad_alloc);
    CHECK_THROWS_AS(memory_size(gib4), std::bad_alloc);
    CHECK_THROWS_AS(DestinationList(gib4 + 1, 4), std::bad_alloc);
  } else {
    CHECK(memory_size(gib4) == static_cast<std::size_t>(gib4));
  }
}

TEST_CASE("a list of more destinations than memory can hold is refused", "[core]") {
  constexpr std::int64_t huge = std::int64_t{1} << 62;  // of 4 bytes: 2^64, which is 0
  CHECK_THROWS_AS(DestinationList(huge, 4), std::bad_alloc);
  CHECK_THROWS_AS(DestinationList(huge + 1, std::int64_t{1} << 40), std::bad_alloc);
}

TEST_CASE("a buffer whose size in bytes overflows is refused", "[core]") {
  constexpr std::size_t quarter = std::numeric_limits<std::size_t>::max() / 4 + 1;
  CHECK_THROWS_AS(Buffer<std::uint32_t>(quarter), std::bad_alloc);
  CHECK_THROWS_AS(Buffer<std::uint32_t>(quarter + 1), std::bad_alloc);
}

}  // namespace tscatter
