// Members of zip archives: their checksums, and how they are deflated and inflated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/progress.hpp"

namespace tscatter {

// ---- DeflateWriter: deflates a member front to back, as zlib does by default.

class DeflateWriter {
 public:
  using Take = std::function<void(std::span<const std::byte>)>;

  // `take` is given the deflated bytes, piece by piece.
  explicit DeflateWriter(Take take);
  DeflateWriter(const DeflateWriter&) = delete;
  DeflateWriter& operator=(const DeflateWriter&) = delete;
  ~DeflateWriter();

  void write(std::span<const std::byte> bytes);

  // Called once, after all bytes.
  void finish();

 private:
  struct Stream;

  void deflate_all(std::span<const std::byte> bytes, int flush);

  Take take_;
  std::vector<std::byte> piece_;
  std::unique_ptr<Stream> stream_;
};

// ---- InflateReader: inflates a member front to back, and never beyond the size that the directory
// gives. Rules: docs/formats.md, npz.z14 to npz.z17.

// The longest deflated member that is read, and written.
inline constexpr std::int64_t longest_deflated = std::int64_t{1} << 40;

// A member's deflated bytes, and what the directory says they inflate to.
struct DeflatedMember {
  std::int64_t offset = 0;  // in the archive
  std::int64_t packed_size = 0;
  std::int64_t size = 0;
  std::uint32_t crc = 0;
};

class InflateReader {
 public:
  // `name` is used in messages. REQUIRES: `file` outlives the reader. Throws Error (format,
  // npz.z17).
  InflateReader(const Source& file, const DeflatedMember& member, std::string name);
  InflateReader(const InflateReader&) = delete;
  InflateReader& operator=(const InflateReader&) = delete;
  ~InflateReader();

  // Bytes still to be read, by the directory's count.
  std::int64_t left() const { return member_.size - position_; }

  // Fills `into` with the next bytes. REQUIRES: into.size() <= left(). Throws Error (format,
  // npz.z15).
  void read(std::span<std::byte> into);

  // Throws Error (format, npz.z14 to npz.z16) when the bytes are not what the directory says.
  // REQUIRES: left() == 0.
  void finish();

 private:
  struct Stream;

  // Inflates until `into` is full or the deflated bytes end. Returns how many bytes came.
  std::size_t inflate_some(std::span<std::byte> into);
  void refill();

  const Source& file_;
  DeflatedMember member_;
  std::string name_;
  std::unique_ptr<Stream> stream_;
  std::vector<std::byte> packed_;  // a piece of the deflated bytes
  std::int64_t packed_read_ = 0;
  std::int64_t position_ = 0;
  std::uint32_t crc_ = 0;
  bool is_at_end_ = false;
};

// ---- CRC-32, the checksum of zip archives, for bytes that are read or written in any order.

std::uint32_t crc_of(std::span<const std::byte> bytes);

// The checksum of a whole source, which several workers read in pieces. Throws Cancelled when *stop
// becomes true.
std::uint32_t crc_of(const Source& source, const Parallelism& parallelism);

// Combines the checksums of ranges into the checksum of the whole.
class RangeCrc {
 public:
  // Safe to call from several threads.
  void add(std::int64_t offset, std::span<const std::byte> bytes);

  // The checksum of the bytes from 0 to `size`; nullopt where the ranges leave a gap, or overlap.
  std::optional<std::uint32_t> total(std::int64_t size) const;

 private:
  struct Range {
    std::int64_t size;
    std::uint32_t crc;
  };

  void append(Range& range, const Range& next);

  mutable std::mutex mutex_;
  std::map<std::int64_t, Range> ranges_;  // by offset; neighbours are merged
  bool overlaps_ = false;
};

}  // namespace tscatter
