// Copies past the caches: every alignment, every size around a cache line, and no byte outside.
#include "tscatter/kernels/move.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "catch.hpp"
#include "ops/call.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/kernels/scatter.hpp"

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

TEST_CASE("an element is repeated from any of its bytes on") {
  const std::vector<std::byte> element{std::byte{1}, std::byte{2}, std::byte{3}};
  for (std::size_t size = 0; size < 70; ++size) {
    for (std::size_t phase = 0; phase < element.size(); ++phase) {
      std::vector<std::byte> into(size);
      repeat(element, into, phase);
      for (std::size_t i = 0; i < size; ++i) REQUIRE(into[i] == element[(i + phase) % 3]);
    }
  }
}

namespace {

template <std::size_t size, class Destination>
void check_kept(std::size_t count, Destination first, Destination length) {
  std::vector<Destination> destinations(count);
  std::vector<std::byte> updates(count * size);
  std::uint32_t state = 7;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    // About the ends of what is kept, and the greatest, which stands for one that is dropped.
    const std::uint32_t kind = state >> 29U;
    destinations[i] = kind == 0
                          ? std::numeric_limits<Destination>::max()
                          : static_cast<Destination>(first - 3 + (state >> 8U) % (length + 6));
    for (std::size_t j = 0; j < size; ++j)
      updates[i * size + j] = static_cast<std::byte>(i * 7 + j);
  }
  std::vector<std::uint32_t> places;
  std::vector<std::byte> wanted;
  for (std::size_t i = 0; i < count; ++i) {
    if (destinations[i] < first || destinations[i] - first >= length) continue;
    places.push_back(static_cast<std::uint32_t>(destinations[i] - first));
    wanted.insert(wanted.end(), updates.begin() + static_cast<std::ptrdiff_t>(i * size),
                  updates.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
  }
  for (const KernelPath path : {KernelPath::automatic, KernelPath::portable}) {
    REQUIRE(set_kernel_path(path));
    std::vector<std::uint32_t> kept_places(count + keep_ahead);
    std::vector<std::byte> kept((count + keep_ahead) * size);
    const std::size_t number =
        keep_within<size>(std::span<const Destination>(destinations), first, length, updates.data(),
                          kept_places.data(), kept.data());
    REQUIRE(number == places.size());
    kept_places.resize(number);
    kept.resize(number * size);
    CHECK(kept_places == places);
    CHECK(kept == wanted);
  }
  set_kernel_path(KernelPath::automatic);
}

template <class Destination>
void check_all_kept(Destination first) {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 64U, 1003U}) {
    for (const Destination length : {Destination{0}, Destination{1}, Destination{20}}) {
      check_kept<1>(count, first, length);
      check_kept<2>(count, first, length);
      check_kept<4>(count, first, length);
      check_kept<8>(count, first, length);
      check_kept<16>(count, first, length);
    }
  }
}

}  // namespace

TEST_CASE("updates of a range are kept in order, by every path") {
  check_all_kept<std::uint32_t>(3);
  check_all_kept<std::uint32_t>(0x8000'0000U - 9);
  check_all_kept<std::uint32_t>(0xFFFF'FFFFU - 40);
  check_all_kept<std::uint64_t>(std::uint64_t{1} << 40U);
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
