#include "parts/digest.hpp"

#include <algorithm>
#include <array>

#include "process/signals.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/io/files/checksum.hpp"
#include "tscatter/io/files/little_endian.hpp"

namespace tscatter::app {
namespace {

std::uint64_t sum_of(const File& file, ByteRange unit, std::vector<std::byte>& buffer) {
  constexpr std::int64_t piece = std::int64_t{256} << 10U;  // stays in the cache
  std::uint64_t sum = 0;
  for (std::int64_t begin = unit.begin; begin < unit.end; begin += piece) {
    check_stop(InterruptScope::stop());
    buffer.resize(static_cast<std::size_t>(std::min(piece, unit.end - begin)));
    file.read_at(begin, buffer);
    sum += sum_of_pages(begin, buffer);
  }
  return sum;
}

}  // namespace

std::uint64_t sum_of_pages(std::int64_t place, std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  while (!bytes.empty()) {
    const auto page = bytes.first(std::min<std::size_t>(bytes.size(), summed_page));
    sum += xxh3(static_cast<std::uint64_t>(place), page);
    place += summed_page;
    bytes = bytes.subspan(page.size());
  }
  return sum;
}

std::vector<std::uint64_t> unit_sums(const File& file, ByteRange range, std::int64_t unit) {
  std::vector<std::byte> buffer;
  std::vector<std::uint64_t> sums;
  for (std::int64_t begin = range.begin; begin < range.end; begin += unit)
    sums.push_back(
        sum_of(file, {.begin = begin, .end = std::min(begin + unit, range.end)}, buffer));
  return sums;
}

std::uint64_t digest_of(std::span<const std::uint64_t> sums, std::int64_t file_bytes) {
  auto digest = static_cast<std::uint64_t>(file_bytes);
  for (const std::uint64_t sum : sums) {
    std::array<std::byte, sizeof(sum)> bytes{};
    store_little_endian(sum, bytes.data());
    digest = checksum(digest, bytes);
  }
  return digest;
}

std::uint64_t digest_of(const File& file, std::int64_t unit) {
  const auto size = static_cast<std::int64_t>(file.status().st_size);
  return digest_of(unit_sums(file, {.begin = 0, .end = size}, unit), size);
}

}  // namespace tscatter::app
