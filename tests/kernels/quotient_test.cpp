// The two loops that divide a mean: by divisors, and by the updates of each element, give the same
// bits; what no update reached keeps its own. And copying what is marked.
#include "tscatter/kernels/quotient.hpp"

#include <algorithm>
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

}  // namespace

TEST_CASE("means: division by counted updates has the bits of division by divisors") {
  std::mt19937 random(1);
  for (const DTypeInfo& row : dtype_table) {
    const DType dtype = row.dtype;
    const DivideLoop divide =
        dtype == DType::opaque ? nullptr : divide_loop(dtype, Reduction::mean);
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
      divide_by_updates(dtype, Reduction::mean)(sums.data(), updates.data(), own, elements);
      CHECK(std::ranges::equal(sums, expected));
    }
  }
  CHECK(divide_by_updates(DType::float32, Reduction::sum) == nullptr);
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
