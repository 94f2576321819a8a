// How a file is cut into parts: whole units of the file, header included, so that no two parts ever
// write one page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/engine/run_options.hpp"

namespace tscatter::app {

// The K-th of P parts, from 1.
struct PartNumber {
  std::int64_t part = 1;
  std::int64_t of = 1;
};

inline constexpr std::int64_t default_unit = std::int64_t{4} << 20U;
inline constexpr std::int64_t least_unit = 4096;  // each is a multiple of it
inline constexpr std::int64_t most_unit = std::int64_t{1} << 40U;

inline constexpr std::int64_t most_parts = 1'000'000;  // and shards of a batch

// "3/8"; nullopt: not of that form, or out of range.
std::optional<PartNumber> part_number_in(std::string_view text);
// The same. Throws Error (usage, part.p1).
PartNumber parse_part(const std::string& text, const std::string& where);

// "4M", "65536". Throws Error (usage, part.p1).
std::int64_t parse_unit(const std::string& text, const std::string& where);

// The bytes of the part, in a file of that size; empty if there are fewer units than parts.
ByteRange bytes_of_part(PartNumber number, std::int64_t file_bytes, std::int64_t unit);

// The elements that have at least one byte in the range `bytes` of the file, where the tensor takes
// the range `tensor`.
OutputRange elements_in(ByteRange bytes, ByteRange tensor, std::int64_t element_size);

// Ascending numbers as ranges: "7,12-13".
std::string as_ranges(const std::vector<std::int64_t>& numbers);

}  // namespace tscatter::app
