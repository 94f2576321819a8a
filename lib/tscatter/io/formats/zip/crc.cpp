#include "tscatter/io/formats/zip/crc.hpp"

#include <zlib.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "tscatter/core/parallel.hpp"

namespace tscatter {

std::uint32_t crc_of(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t crc_of(const Source& source, const Parallelism& parallelism) {
  constexpr std::int64_t piece = std::int64_t{512} * 1024;
  RangeCrc crc;
  for_each_task((source.size() + piece - 1) / piece, parallelism, source.size(), [&] {
    return [&, buffer = std::vector<std::byte>(static_cast<std::size_t>(
                   std::min(piece, source.size())))](std::int64_t task) mutable {
      const std::int64_t offset = task * piece;
      const auto bytes = std::span(buffer).first(
          static_cast<std::size_t>(std::min(piece, source.size() - offset)));
      source.read(offset, bytes);
      crc.add(offset, bytes);
    };
  });
  return crc.total(source.size()).value_or(0);
}

void RangeCrc::add(std::int64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const Range added{.size = static_cast<std::int64_t>(bytes.size()), .crc = crc_of(bytes)};
  const std::scoped_lock lock(mutex_);
  auto next = ranges_.lower_bound(offset);
  overlaps_ = overlaps_ || (next != ranges_.end() && next->first < offset + added.size);
  auto at = ranges_.end();
  if (next != ranges_.begin()) {
    const auto before = std::prev(next);
    const std::int64_t end = before->first + before->second.size;
    overlaps_ = overlaps_ || end > offset;
    if (end == offset) at = before;
  }
  if (at != ranges_.end()) {
    append(at->second, added);
  } else {
    at = ranges_.insert_or_assign(next, offset, added);
  }
  if (next != ranges_.end() && next != at && next->first == at->first + at->second.size) {
    append(at->second, next->second);
    ranges_.erase(next);
  }
}

std::optional<std::uint32_t> RangeCrc::total(std::int64_t size) const {
  const std::scoped_lock lock(mutex_);
  if (size == 0 && ranges_.empty()) return 0;
  const bool is_one = ranges_.size() == 1 && ranges_.begin()->first == 0;
  if (overlaps_ || !is_one || ranges_.begin()->second.size != size) return std::nullopt;
  return ranges_.begin()->second.crc;
}

void RangeCrc::append(Range& range, const Range& next) {
  range.crc = static_cast<std::uint32_t>(::crc32_combine(range.crc, next.crc, z_off_t{next.size}));
  range.size += next.size;
}

}  // namespace tscatter
