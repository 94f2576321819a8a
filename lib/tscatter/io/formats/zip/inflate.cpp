#include "tscatter/io/formats/zip/inflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "tscatter/core/checked.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter {
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

}  // namespace tscatter
