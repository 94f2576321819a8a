// InflateReader: inflates a member front to back, and never beyond the size that the directory
// gives. Rules: docs/formats.md, npz.z14 to npz.z17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tscatter/core/bytes.hpp"

namespace tscatter {

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

}  // namespace tscatter
