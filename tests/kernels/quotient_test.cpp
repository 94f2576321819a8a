// The two loops that divide a mean: by divisors, and by the updates of each element, give the same
// bits; what no update reached keeps its own. Counts in a dtype, quotients of all int8, and copying
// what is marked.
#include "tscatter/kernels/quotient.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "catch.hpp"
#include "tscatter/kernels/move.hpp"

namespace tscatter {
namespace {

constexpr std::size_t elements = 1037;

std::vector<std::byte> random_bytes(std::mt19937& random, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// Many are 0, some have more than 24 bits.
std::vector<std::uint32_t> random_counts(std::mt19937& random) {
  std::vector<std::uint32_t> counts(elements);
  for (std::uint32_t& count : counts) {
    const auto bits = static_cast<std::uint32_t>(random());
    count = bits % 3 == 0 ? 0 : bits % 5 == 0 ? bits : bits % 7;
  }
  counts.front() = 0xfffffffe;
  return counts;
}

Division mean_of(DType dtype, MeanRules rules = {}) {
  return {.reduction = Reduction::mean, .rules = rules, .dtype = dtype};
}

}  // namespace

TEST_CASE("means: division by counted updates has the bits of division by divisors") {
  std::mt19937 random(1);
  for (const DTypeInfo& row : dtype_table) {
    const DType dtype = row.dtype;
    const DivideLoop divide = dtype == DType::opaque ? nullptr : divide_loop(dtype, mean_of(dtype));
    if (divide == nullptr) continue;
    for (const std::uint32_t own : {0U, 1U}) {
      INFO(info(dtype).name << ", own " << own);
      std::vector<std::byte> sums = random_bytes(random, elements * info(dtype).size);
      std::vector<std::byte> expected = sums;
      const std::vector<std::uint32_t> updates = random_counts(random);
      std::vector<std::int64_t> divisors;
      for (const std::uint32_t each : updates)
        divisors.push_back(each == 0 ? 0 : std::int64_t{each} + own);
      divide(expected.data(), divisors.data(), elements);
      divide_by_updates(dtype, mean_of(dtype))(sums.data(), updates.data(), own, elements);
      CHECK(std::ranges::equal(sums, expected));
    }
  }
  CHECK(divide_by_updates(DType::float32, {.reduction = Reduction::sum}) == nullptr);
  const MeanRules truncated{.quotient = MeanQuotient::truncate};
  const MeanRules in_dtype{.divisor = MeanDivisor::in_dtype};
  CHECK(divide_by_updates(DType::int8, mean_of(DType::int8, truncated)) == nullptr);
  CHECK(divide_by_updates(DType::int8, mean_of(DType::int8, in_dtype)) == nullptr);
}

TEST_CASE("means: the root of a count is rounded to the dtype, and so is the quotient") {
  const auto left = []<class T>(DType dtype, T sum, std::int64_t count) {
    const Division by_root{.reduction = Reduction::sqrt_n, .dtype = dtype};
    divide_loop(dtype, by_root)(reinterpret_cast<std::byte*>(&sum), &count, 1);
    return static_cast<double>(sum);
  };
  CHECK(left(DType::float16, Half(7.5F), 3) == 4.328125);  // 7.5 / sqrt(3) is nearer to 4.332
  CHECK(left(DType::bfloat16, BFloat16(256.0F), 256) == 16);
  CHECK(left(DType::float32, 3.0F, 2) == double{3 / 1.41421354F});
  CHECK(left(DType::float64, 3.0, 2) == 3 / std::sqrt(2.0));
  CHECK(left(DType::float32, 3.0F, 0) == 3);  // no update reached it
  CHECK(left(DType::float16, Half(7.5F), infinite_count) == 0);
  CHECK(divide_by_updates(DType::float32, {.reduction = Reduction::sqrt_n}) == nullptr);
}

TEST_CASE("means: each int8 by each divisor, rounded down and towards 0; -128 by -1 wraps") {
  for (const bool is_floor : {true, false}) {
    const MeanQuotient quotient = is_floor ? MeanQuotient::floor : MeanQuotient::truncate;
    const DivideLoop divide =
        divide_loop(DType::int8, mean_of(DType::int8, {.quotient = quotient}));
    for (int sum = -128; sum < 128; ++sum) {
      for (std::int64_t divisor = -300; divisor <= 300; ++divisor) {
        auto byte = static_cast<std::byte>(sum);
        divide(&byte, &divisor, 1);
        const double exact = divisor == 0 ? sum : sum / static_cast<double>(divisor);
        const double rounded = is_floor ? std::floor(exact) : std::trunc(exact);
        if (byte != static_cast<std::byte>(static_cast<int>(rounded)))
          FAIL(sum << " / " << divisor << " is " << static_cast<int>(byte));
      }
    }
  }
  auto lowest = std::numeric_limits<std::int64_t>::min();
  const std::int64_t minus_one = -1;
  divide_loop(DType::int64, mean_of(DType::int64))(reinterpret_cast<std::byte*>(&lowest),
                                                   &minus_one, 1);
  CHECK(lowest == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE(
    "means: a count of values in a dtype wraps around or is rounded, stalls, and is never 0") {
  struct Counted {
    DType dtype;
    std::int64_t count;
    std::int64_t in_dtype;
    std::int64_t stalling;
  };
  constexpr std::int64_t e24 = std::int64_t{1} << 24;
  constexpr std::int64_t e53 = std::int64_t{1} << 53;
  for (const Counted& each : {Counted{DType::int8, 127, 127, 127},
                              {DType::int8, 128, -128, -128},
                              {DType::int8, 255, -1, -1},
                              {DType::int8, 256, 1, 1},
                              {DType::uint8, 255, 255, 255},
                              {DType::uint8, 256, 1, 1},
                              {DType::uint8, 300, 44, 44},
                              {DType::int16, 32768, -32768, -32768},
                              {DType::uint64, e53 + 1, e53 + 1, e53 + 1},
                              {DType::bfloat16, 256, 256, 256},
                              {DType::bfloat16, 257, 256, 256},
                              {DType::bfloat16, 300, 300, 256},
                              {DType::bfloat16, 301, 300, 256},
                              {DType::float16, 2049, 2048, 2048},
                              {DType::float16, 65519, 65504, 2048},
                              {DType::float16, 65520, infinite_count, 2048},
                              {DType::float32, e24 + 1, e24, e24},
                              {DType::float32, e24 + 2, e24 + 2, e24},
                              {DType::float64, e53 + 2, e53 + 2, e53}}) {
    INFO(info(each.dtype).name << " " << each.count);
    CHECK(divisor_in(each.dtype, MeanDivisor::in_dtype, each.count) == each.in_dtype);
    CHECK(divisor_in(each.dtype, MeanDivisor::stalling, each.count) == each.stalling);
  }
}

TEST_CASE("copy_marked copies the elements that are marked, and leaves the others") {
  std::mt19937 random(2);
  for (const std::size_t size : {1U, 2U, 4U, 8U, 16U}) {
    std::vector<std::byte> into = random_bytes(random, elements * size);
    const std::vector<std::byte> from = random_bytes(random, elements * size);
    const std::vector<std::uint32_t> marks = random_counts(random);
    std::vector<std::byte> expected = into;
    for (std::size_t i = 0; i < elements * size; ++i)
      if (marks[i / size] != 0) expected[i] = from[i];
    copy_marked(into.data(), from.data(), marks.data(), elements, size);
    INFO("elements of " << size << " bytes");
    CHECK(std::ranges::equal(into, expected));
  }
}

}  // namespace tscatter
