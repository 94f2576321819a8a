#include "tscatter/io/journal/undo_format.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/checksum.hpp"

namespace tscatter {
namespace {

constexpr std::size_t word = 8;
// "tscundo\n" and "tscdone\n", changed so that no text file has them.
constexpr std::uint64_t header_magic = 0x0a6f646e75637393;
constexpr std::uint64_t commit_magic = 0x0a656e6f64637393;

// Writes consecutive words.
class Encoder {
 public:
  explicit Encoder(std::span<std::byte> into) : into_{into} {}

  void add(std::uint64_t value) {
    store_little_endian(value, into_.data() + at_);
    at_ += word;
  }
  void add(std::int64_t value) { add(static_cast<std::uint64_t>(value)); }
  void add_checksum(std::uint64_t seed) { add(xxh3(seed, into_.first(at_))); }

 private:
  std::span<std::byte> into_;
  std::size_t at_ = 0;
};

class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> from) : from_{from} {}

  std::uint64_t next() {
    const std::uint64_t value = load_little_endian(from_.data() + at_);
    at_ += word;
    return value;
  }
  std::int64_t next_signed() { return static_cast<std::int64_t>(next()); }
  // Whether the next word is the checksum of all before it.
  bool has_checksum(std::uint64_t seed) const {
    return load_little_endian(from_.data() + at_) == xxh3(seed, from_.first(at_));
  }

 private:
  std::span<const std::byte> from_;
  std::size_t at_ = 0;
};

std::uint64_t record_sum(std::uint64_t nonce, std::span<const std::byte> record) {
  return xxh3(xxh3(nonce, record.first(2 * word)), record.subspan(UndoRecordHead::size));
}

// REQUIRES: `record` begins with its head.
UndoRecordHead head_of(std::span<const std::byte> record) {
  Decoder decoder(record);
  UndoRecordHead head;
  head.offset = decoder.next_signed();
  head.length = decoder.next_signed();
  head.sum = decoder.next();
  return head;
}

}  // namespace

std::array<std::byte, UndoHeader::size> encode(const UndoHeader& header) {
  std::array<std::byte, UndoHeader::size> bytes{};
  Encoder encoder(bytes);
  encoder.add(header_magic);
  encoder.add(UndoHeader::version);
  encoder.add(header.nonce);
  encoder.add(header.file.inode);
  encoder.add(header.file.birth_seconds);
  encoder.add(std::uint64_t{header.file.birth_nanoseconds});
  encoder.add(header.file.size);
  encoder.add_checksum(header.nonce);
  return bytes;
}

std::array<std::byte, UndoCommit::size> encode(const UndoCommit& commit) {
  std::array<std::byte, UndoCommit::size> bytes{};
  Encoder encoder(bytes);
  encoder.add(commit_magic);
  encoder.add(commit.nonce);
  encoder.add(commit.records);
  encoder.add(commit.position);
  encoder.add(commit.total_sum);
  encoder.add_checksum(commit.nonce);
  return bytes;
}

std::uint64_t finish_record(std::uint64_t nonce, std::int64_t offset, std::span<std::byte> record) {
  Encoder encoder(record);
  encoder.add(offset);
  encoder.add(static_cast<std::int64_t>(record.size() - UndoRecordHead::size));
  const std::uint64_t sum = record_sum(nonce, record);
  encoder.add(sum);
  return sum;
}

UndoReader::UndoReader(const Source& journal, std::string name)
    : journal_{journal}, name_{std::move(name)}, header_{read_header()}, commit_{read_commit()} {}

void UndoReader::refuse(const std::string& got) const {
  // undo.u4
  fail(ErrorKind::format, "undo.u4", name_,
       "an undo journal must be intact (remove it if its file is), got {}", got);
}

UndoHeader UndoReader::read_header() const {
  constexpr auto damaged = "a damaged header";
  if (journal_.size() < std::int64_t{UndoHeader::size}) refuse(damaged);
  std::array<std::byte, UndoHeader::size> bytes{};
  journal_.read(0, bytes);
  Decoder decoder(bytes);
  if (decoder.next() != header_magic) refuse(damaged);
  UndoHeader header;
  const std::uint64_t version = decoder.next();
  // undo.u4
  if (version != UndoHeader::version) {
    fail(ErrorKind::format, "undo.u4", name_, "an undo journal must be of version {}, got {}",
         UndoHeader::version, version);
  }
  header.nonce = decoder.next();
  header.file.inode = decoder.next();
  header.file.birth_seconds = decoder.next_signed();
  header.file.birth_nanoseconds = static_cast<std::uint32_t>(decoder.next());
  header.file.size = decoder.next_signed();
  if (!decoder.has_checksum(header.nonce)) refuse(damaged);
  return header;
}

UndoCommit UndoReader::read_commit() const {
  constexpr auto missing = "one without its end";
  const std::int64_t position = journal_.size() - std::int64_t{UndoCommit::size};
  if (position < std::int64_t{UndoHeader::size}) refuse(missing);
  std::array<std::byte, UndoCommit::size> bytes{};
  journal_.read(position, bytes);
  Decoder decoder(bytes);
  const bool has_magic = decoder.next() == commit_magic;
  UndoCommit commit;
  commit.nonce = decoder.next();
  commit.records = decoder.next_signed();
  commit.position = decoder.next_signed();
  commit.total_sum = decoder.next();
  const bool is_whole = decoder.has_checksum(header_.nonce);
  const bool is_own = commit.nonce == header_.nonce && commit.position == position;
  if (!has_magic || !is_whole || !is_own) refuse(missing);
  return commit;
}

// Reads head and old bytes; returns false if they are not as written.
bool UndoReader::read_record(std::int64_t position, std::vector<std::byte>& record) const {
  const std::int64_t left = commit_.position - position - std::int64_t{UndoRecordHead::size};
  if (left < 0) return false;
  record.resize(UndoRecordHead::size);
  journal_.read(position, record);
  const UndoRecordHead head = head_of(record);
  const bool fits = head.length > 0 && head.length <= UndoRecordHead::most_bytes &&
                    head.length <= left && head.length <= header_.file.size;
  const bool is_inside = fits && head.offset >= 0 && head.offset <= header_.file.size - head.length;
  if (!is_inside) return false;
  record.resize(UndoRecordHead::size + static_cast<std::size_t>(head.length));
  journal_.read(position, record);
  return record_sum(header_.nonce, record) == head.sum;
}

void UndoReader::visit(const Visit& visit) const {
  std::vector<std::byte> record;
  std::int64_t position = UndoHeader::size;
  std::int64_t count = 0;
  std::uint64_t total_sum = 0;
  for (; position < commit_.position; ++count) {
    if (!read_record(position, record))
      refuse(fmt::format("a damaged record at byte {}", position));
    const UndoRecordHead head = head_of(record);
    visit(head.offset, std::span<const std::byte>(record).subspan(UndoRecordHead::size));
    position += static_cast<std::int64_t>(record.size());
    total_sum += head.sum;
  }
  if (count != commit_.records || total_sum != commit_.total_sum)
    refuse(fmt::format("{} of {} records", count, commit_.records));
}

}  // namespace tscatter
