// The digest of a file: a checksum of its units' sums. A unit's sum adds the checksums of its
// pages, which depend on their places, so that pages may be summed in any order. It is the same
// whoever wrote the units, and finds accidents, not attackers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "text/number_text.hpp"  // hex_text(), in which digests are written
#include "tscatter/core/bytes.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::app {

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
