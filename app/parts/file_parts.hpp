// How a file is cut into parts and units, and its digest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/number_text.hpp"  // hex_text(), in which digests are written
#include "tscatter/core/bytes.hpp"
#include "tscatter/engine/run_options.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::app {

// ---- How a file is cut into parts: whole units of the file, header included, so that no two parts
// ever write one page.

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

// ---- The digest of a file: a checksum of its units' sums. A unit's sum adds the checksums of its
// pages, which depend on their places, so that pages may be summed in any order. It is the same
// whoever wrote the units, and finds accidents, not attackers.

inline constexpr std::int64_t summed_page = 4096;

// What the pages of a file from `place` on add to the sum of their unit. REQUIRES: a page begins at
// `place`, and another or the file's end where the bytes end.
std::uint64_t sum_of_pages(std::int64_t place, std::span<const std::byte> bytes);

// The checksum of each unit in the range, which begins where a unit does. Throws Error (file) and
// Cancelled.
std::vector<std::uint64_t> unit_sums(const File& file, ByteRange range, std::int64_t unit);

std::uint64_t digest_of(std::span<const std::uint64_t> sums, std::int64_t file_bytes);

// The same for a whole file.
std::uint64_t digest_of(const File& file, std::int64_t unit);

}  // namespace tscatter::app
