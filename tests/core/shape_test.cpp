#include "tscatter/core/shape.hpp"

#include <limits>
#include <new>

#include "catch.hpp"
#include "tscatter/core/memory.hpp"
#include "tscatter/plan/destinations.hpp"

namespace tscatter {
TEST_CASE("element_count is the product of the dims", "[core]") {
  CHECK(element_count({}) == 1);
  CHECK(element_count({2, 3, 5}) == 30);
  CHECK(element_count({2, 0, 5}) == 0);
}

TEST_CASE("is_addressable: elements and bytes stay within 2^63 - 1", "[core]") {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  CHECK(is_addressable({largest}, 1));
  CHECK_FALSE(is_addressable({largest}, 2));
  CHECK(is_addressable({largest / 2}, 2));
  CHECK_FALSE(is_addressable({std::int64_t{1} << 32, std::int64_t{1} << 31}, 1));
  CHECK(is_addressable({std::int64_t{1} << 32, std::int64_t{1} << 30}, 1));
  CHECK_FALSE(is_addressable({0, std::int64_t{1} << 32, std::int64_t{1} << 31}, 1));
  CHECK(is_addressable({0, 0}, 16));
}

TEST_CASE("a shape is printed as a list", "[core]") {
  CHECK(to_string(Shape{}) == "[]");
  CHECK(to_string(Shape{3}) == "[3]");
  CHECK(to_string(Shape{2, 5}) == "[2, 5]");
}

TEST_CASE("strides_of counts elements in either order", "[core]") {
  CHECK(strides_of({2, 3, 5}, MemoryOrder::c) == std::vector<std::int64_t>{15, 5, 1});
  CHECK(strides_of({2, 3, 5}, MemoryOrder::fortran) == std::vector<std::int64_t>{1, 2, 6});
  CHECK(strides_of({}, MemoryOrder::c).empty());
}

TEST_CASE("position_of is the index of an element in row-major order", "[core]") {
  CHECK(position_of({2, 3, 5}, 0) == Position{0, 0, 0});
  CHECK(position_of({2, 3, 5}, 22) == Position{1, 1, 2});
  CHECK(position_of({2, 3, 5}, 29) == Position{1, 2, 4});
  CHECK(position_of({}, 0).empty());
}

TEST_CASE("normalize_axis: an axis is in [-r, r)", "[core]") {
  CHECK(normalize_axis(0, 3) == 0U);
  CHECK(normalize_axis(2, 3) == 2U);
  CHECK(normalize_axis(-1, 3) == 2U);
  CHECK(normalize_axis(-3, 3) == 0U);
  CHECK_FALSE(normalize_axis(3, 3).has_value());
  CHECK_FALSE(normalize_axis(-4, 3).has_value());
  CHECK_FALSE(normalize_axis(0, 0).has_value());
  CHECK_FALSE(normalize_axis(std::numeric_limits<std::int64_t>::min(), 3).has_value());
  CHECK_FALSE(normalize_axis(std::numeric_limits<std::int64_t>::max(), 3).has_value());
}

TEST_CASE("is_contiguous_both_ways: at most one axis is longer than 1", "[core]") {
  CHECK(is_contiguous_both_ways({}));
  CHECK(is_contiguous_both_ways({7}));
  CHECK(is_contiguous_both_ways({1, 7, 1}));
  CHECK(is_contiguous_both_ways({3, 0, 7}));
  CHECK_FALSE(is_contiguous_both_ways({2, 7}));
}

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
