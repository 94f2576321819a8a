#include "tscatter/io/formats/zip/deflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

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

}  // namespace tscatter
