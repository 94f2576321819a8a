#include "parts/file_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "jobs/resources.hpp"
#include "process/host.hpp"
#include "text/number_text.hpp"
#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/checksum.hpp"

namespace tscatter::app {

std::optional<PartNumber> part_number_in(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto part = number_in<std::int64_t>(text.substr(0, slash));
  const auto of = number_in<std::int64_t>(text.substr(std::min(slash + 1, text.size())));
  const bool is_legal = part && of && *of <= most_parts && *part >= 1 && *part <= *of;
  return is_legal ? std::optional(PartNumber{.part = *part, .of = *of}) : std::nullopt;
}

PartNumber parse_part(const std::string& text, const std::string& where) {
  const std::optional<PartNumber> number = part_number_in(text);
  // part.p1
  if (!number) {
    fail(ErrorKind::usage, "part.p1", where,
         "must be K/P, with K from 1 to P and P up to {}, got {}", most_parts, text);
  }
  return *number;
}

std::int64_t parse_unit(const std::string& text, const std::string& where) {
  const std::optional<std::int64_t> unit = memory_in(text);
  // part.p1
  if (!unit || *unit < least_unit || *unit > most_unit || *unit % least_unit != 0) {
    fail(ErrorKind::usage, "part.p1", where,
         "a unit must be a multiple of 4096 bytes, like 64K or 16M, got {}", text);
  }
  return *unit;
}

ByteRange bytes_of_part(PartNumber number, std::int64_t file_bytes, std::int64_t unit) {
  const std::int64_t units = (file_bytes + unit - 1) / unit;
  const auto first_of = [&](std::int64_t part) {
    return units / number.of * part + std::min(part, units % number.of);
  };
  return {.begin = std::min(first_of(number.part - 1) * unit, file_bytes),
          .end = std::min(first_of(number.part) * unit, file_bytes)};
}

OutputRange elements_in(ByteRange bytes, ByteRange tensor, std::int64_t element_size) {
  const std::int64_t begin = std::clamp(bytes.begin, tensor.begin, tensor.end) - tensor.begin;
  const std::int64_t end = std::clamp(bytes.end, tensor.begin, tensor.end) - tensor.begin;
  if (begin == end) return {.begin = begin / element_size, .end = begin / element_size};
  return {.begin = begin / element_size, .end = (end + element_size - 1) / element_size};
}

std::string as_ranges(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[i]);
    if (last > i) text += fmt::format("-{}", numbers[last]);
    i = last + 1;
  }
  return text;
}

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
