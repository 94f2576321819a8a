#include "parts/file_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "jobs/memory.hpp"
#include "text/number_text.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

constexpr std::int64_t most_parts = 1'000'000;

}  // namespace

PartNumber parse_part(const std::string& text, const std::string& where) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto part = number_in<std::int64_t>(text.substr(0, slash));
  const auto of = number_in<std::int64_t>(text.substr(std::min(slash + 1, text.size())));
  // part.p1
  if (!part || !of || *of < 1 || *of > most_parts || *part < 1 || *part > *of) {
    fail(ErrorKind::usage, "part.p1", where,
         "must be K/P, with K from 1 to P and P up to {}, got {}", most_parts, text);
  }
  return {.part = *part, .of = *of};
}

std::int64_t parse_unit(const std::string& text, const std::string& where) {
  constexpr std::int64_t least = 4096;
  constexpr std::int64_t most = std::int64_t{1} << 40U;
  const std::optional<std::int64_t> unit = memory_in(text);
  // part.p1
  if (!unit || *unit < least || *unit > most || *unit % least != 0) {
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

}  // namespace tscatter::app
