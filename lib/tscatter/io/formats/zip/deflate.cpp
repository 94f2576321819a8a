#include "tscatter/io/formats/zip/deflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "tscatter/core/checked.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/parallel.hpp"

namespace tscatter {
namespace {

constexpr std::size_t piece = std::size_t{128} * 1024;

}  // namespace

struct DeflateWriter::Stream {
  z_stream stream{};

  Stream() {
    constexpr int raw_deflate = -MAX_WBITS;
    constexpr int usual_memory = 8;
    if (::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, raw_deflate, usual_memory,
                       Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { ::deflateEnd(&stream); }
};

DeflateWriter::DeflateWriter(Take take)
    : take_{std::move(take)}, piece_(piece), stream_{std::make_unique<Stream>()} {}

DeflateWriter::~DeflateWriter() = default;

void DeflateWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto some =
        bytes.first(std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max()));
    deflate_all(some, Z_NO_FLUSH);
    bytes = bytes.subspan(some.size());
  }
}

void DeflateWriter::finish() { deflate_all({}, Z_FINISH); }

void DeflateWriter::deflate_all(std::span<const std::byte> bytes, int flush) {
  z_stream& stream = stream_->stream;
  // zlib does not change its input; not every version says so.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(piece_.data());
    stream.avail_out = static_cast<uInt>(piece_.size());
    ::deflate(&stream, flush);
    take_(std::span<const std::byte>(piece_).first(piece_.size() - stream.avail_out));
  } while (stream.avail_out == 0);
}

namespace {

constexpr std::int64_t packed_piece = std::int64_t{128} * 1024;
// Two deflated bits become at most 258 bytes.
constexpr std::int64_t largest_ratio = 1032;

void require_possible_size(const DeflatedMember& member, const std::string& name) {
  // npz.z17
  if (member.size > longest_deflated) {
    fail(ErrorKind::format, "npz.z17", name,
         "a deflated member must be at most {} bytes long, got {}", longest_deflated, member.size);
  }
  const auto most = checked_multiply(member.packed_size, largest_ratio);
  // npz.z17
  if (most && member.size > *most) {
    fail(ErrorKind::format, "npz.z17", name,
         "{} deflated bytes can become at most {}, got a member of {}", member.packed_size, *most,
         member.size);
  }
}

}  // namespace

struct InflateReader::Stream {
  z_stream stream{};

  Stream() {
    constexpr int raw_deflate = -MAX_WBITS;
    if (::inflateInit2(&stream, raw_deflate) != Z_OK) throw std::bad_alloc();
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { ::inflateEnd(&stream); }
};

InflateReader::InflateReader(const Source& file, const DeflatedMember& member, std::string name)
    : file_{file}, member_{member}, name_{std::move(name)} {
  require_possible_size(member, name_);
  stream_ = std::make_unique<Stream>();
}

InflateReader::~InflateReader() = default;

void InflateReader::read(std::span<std::byte> into) {
  const std::size_t got = inflate_some(into);
  position_ += static_cast<std::int64_t>(got);
  crc_ =
      static_cast<std::uint32_t>(::crc32_z(crc_, reinterpret_cast<const Bytef*>(into.data()), got));
  // npz.z15
  if (got < into.size()) {
    fail(ErrorKind::format, "npz.z15", name_,
         "the deflated bytes must become the {} bytes that the directory says, got {}",
         member_.size, position_);
  }
}

void InflateReader::finish() {
  std::byte beyond{};
  const std::size_t got = is_at_end_ ? 0 : inflate_some(std::span(&beyond, 1));
  // npz.z15
  if (got > 0 || !is_at_end_) {
    fail(ErrorKind::format, "npz.z15", name_,
         "the deflated bytes must become the {} bytes that the directory says, got {}",
         member_.size, got > 0 ? "more" : "no end");
  }
  const std::int64_t unread = member_.packed_size - packed_read_ + stream_->stream.avail_in;
  // npz.z16
  if (unread > 0) {
    fail(ErrorKind::format, "npz.z16", name_,
         "nothing must follow the end of the deflated bytes, got {} bytes more", unread);
  }
  // npz.z14
  if (crc_ != member_.crc) {
    fail(ErrorKind::format, "npz.z14", name_,
         "the bytes must have the checksum {:08x} that the directory says, got {:08x}", member_.crc,
         crc_);
  }
}

std::size_t InflateReader::inflate_some(std::span<std::byte> into) {
  z_stream& stream = stream_->stream;
  std::size_t total = 0;
  while (total < into.size() && !is_at_end_) {
    if (stream.avail_in == 0) refill();
    const std::size_t room =
        std::min<std::size_t>(into.size() - total, std::numeric_limits<uInt>::max());
    stream.next_out = reinterpret_cast<Bytef*>(into.data() + total);
    stream.avail_out = static_cast<uInt>(room);
    const int result = ::inflate(&stream, Z_NO_FLUSH);
    total += room - stream.avail_out;
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    is_at_end_ = result == Z_STREAM_END;
    const bool is_out_of_bytes = stream.avail_in == 0 && packed_read_ == member_.packed_size;
    // npz.z15
    if (result == Z_DATA_ERROR || result == Z_NEED_DICT) {
      fail(ErrorKind::format, "npz.z15", name_, "the deflated bytes must be well-formed, got {}",
           stream.msg != nullptr ? stream.msg : "a dictionary");
    }
    if (is_out_of_bytes && stream.avail_out > 0) break;
  }
  return total;
}

void InflateReader::refill() {
  const std::int64_t size = std::min(packed_piece, member_.packed_size - packed_read_);
  packed_.resize(static_cast<std::size_t>(size));
  if (size > 0) file_.read(member_.offset + packed_read_, packed_);
  packed_read_ += size;
  stream_->stream.next_in = reinterpret_cast<Bytef*>(packed_.data());
  stream_->stream.avail_in = static_cast<uInt>(size);
}

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
