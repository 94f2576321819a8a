// Copies past the caches: every alignment, every size around a cache line, and no byte outside.
#include "tscatter/kernels/move.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "catch.hpp"
#include "ops/call.hpp"

namespace tscatter {
namespace {

// A different int at each place, so that misplaced ones are detected.
std::vector<float> counted(std::size_t count, float first) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

}  // namespace

TEST_CASE("stream copies what memcpy copies, and touches nothing beside it") {
  constexpr std::size_t most = 300;
  std::vector<std::byte> from(most + 16);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + 1);
  for (std::size_t lead = 0; lead < 66; ++lead) {
    for (std::size_t size = 0; size < most; size += size < 70 ? 1 : 13) {
      std::vector<std::byte> into(most + 80, std::byte{0});
      std::vector<std::byte> expected(into);
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(lead % 16), size,
                  expected.begin() + static_cast<std::ptrdiff_t>(lead));
      stream(into.data() + lead, from.data() + lead % 16, size, from.data());
      finish_streams();
      REQUIRE(into == expected);
    }
  }
}

TEST_CASE("rows into memory larger than the caches are those of the loop, duplicates included") {
  constexpr std::int64_t rows = 8192;
  constexpr std::int64_t columns = 1025;  // so that rows begin at all alignments
  constexpr std::int64_t entries = 4099;
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < entries; ++i) indices.push_back(i * i * 7919 % rows);
  const std::vector<float> updates = counted(entries * columns, 0.5F);
  std::vector<float> data = counted(rows * columns, -1.0F);
  std::vector<float> expected = data;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    std::copy_n(updates.begin() + static_cast<std::ptrdiff_t>(i) * columns, columns,
                expected.begin() + indices[i] * columns);
  }
  MemoryOutput output{std::span(data)};
  scatter_nd_update_15(view(std::span(data), {rows, columns}),
                       view(std::span(indices), {entries, 1}),
                       view(std::span(updates), {entries, columns}), Reduction::none, output);
  CHECK(std::ranges::equal(data, expected));  // not the values: they would be printed
}

}  // namespace tscatter
