// Copies past the caches: every alignment, every size around a cache line, and no byte outside.
#include "tscatter/kernels/move.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "catch.hpp"
#include "ops/call.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/kernels/reduce.hpp"
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

TEST_CASE("a mask is true wherever its byte is not 0") {
  std::vector<std::byte> mask(20, std::byte{0});
  mask[3] = std::byte{1};
  mask[9] = std::byte{2};
  mask[17] = std::byte{255};
  const std::vector<float> from{1, 2, 3};
  std::vector<float> into(20, 0);
  std::vector<float> expected = into;
  place_where(std::as_writable_bytes(std::span(into)).data(), mask,
              std::as_bytes(std::span(from)).data(), 3, sizeof(float));
  expected[3] = 1;
  expected[9] = 2;
  expected[17] = 3;
  CHECK(into == expected);
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

template <class T, class Index>
void check_indexed_sum(DType dtype, DType index_dtype) {
  const IndexedSum sum = indexed_sum(dtype, Reduction::sum, index_dtype);
  REQUIRE(sum != nullptr);
  const auto bytes_of = [](auto& values) { return std::as_writable_bytes(std::span(values)); };
  const std::vector<T> updates{1, 2, 4, 8, 16};
  for (const std::uint64_t from_end : {0U, 3U}) {
    for (const Index wrong : {Index{3}, std::numeric_limits<Index>::min(), Index{-4},
                              std::numeric_limits<Index>::max(), Index{2}}) {
      const Index last = from_end == 0 ? 2 : -1;
      std::vector<Index> indices{0, last, 0, wrong, 1};
      std::vector<T> tile{100, 200, std::numeric_limits<T>::max()};
      std::vector<T> expected{105, 200, static_cast<T>(std::numeric_limits<T>::max())};
      const bool is_legal = wrong == Index{2};
      const auto add = [&](std::size_t place, T value) {
        reduce_loop(dtype, Reduction::sum)(bytes_of(expected).data() + place * sizeof(T),
                                           std::as_bytes(std::span(&value, 1)).data(), 1);
      };
      add(2, 2);
      if (is_legal) {
        add(2, 8);
        add(1, 16);
      }
      CHECK(sum(bytes_of(tile).data(), 3, from_end, bytes_of(indices).data(),
                std::as_bytes(std::span(updates)).data(), 5) == (is_legal ? 5 : 3));
      CHECK(tile == expected);
    }
  }
}

template <class T>
void check_indexed_sums(DType dtype) {
  check_indexed_sum<T, std::int32_t>(dtype, DType::int32);
  check_indexed_sum<T, std::int64_t>(dtype, DType::int64);
}

}  // namespace

TEST_CASE("sums by indices are those of the loop, and stop at the first that is out of range") {
  check_indexed_sums<std::int32_t>(DType::int32);
  check_indexed_sums<std::int64_t>(DType::int64);
  check_indexed_sums<float>(DType::float32);
  check_indexed_sums<double>(DType::float64);
  CHECK(indexed_sum(DType::float32, Reduction::sum, DType::uint64) == nullptr);
  CHECK(indexed_sum(DType::float32, Reduction::max, DType::int64) == nullptr);
  CHECK(indexed_sum(DType::float16, Reduction::sum, DType::int64) == nullptr);
}

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
