// Source and Sink: the two ends of every operation. Both are addressed by ranges of bytes, so that
// nobody needs to hold a whole tensor. Files, memory and pipes implement them (io/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/core/progress.hpp"

namespace tscatter {

class Source {
 public:
  virtual ~Source() = default;

  virtual std::int64_t size() const = 0;  // bytes

  // Fills `into` with the bytes from `offset` on. Safe to call from several threads.
  // REQUIRES: the range lies inside size(). Throws Error (file) when it cannot be read.
  virtual void read(std::int64_t offset, std::span<std::byte> into) const = 0;

  // The bytes themselves, if they can be addressed without a copy (memory, a mapped file).
  virtual std::optional<std::span<const std::byte>> view() const { return std::nullopt; }

  // The open file that holds the bytes contiguously, and their offset in it, if there is one.
  struct Extent {
    int descriptor;
    std::int64_t offset;
  };
  virtual std::optional<Extent> extent() const { return std::nullopt; }

  // Throws Error (file) when bytes that view() handed out turned out to be missing, because the
  // file was truncated meanwhile.
  virtual void check_view() const {}

  // Throws Error (format) when the bytes do not match their container's checksum; reads them all if
  // there is one. Throws Cancelled when *stop becomes true.
  virtual void check_content(const Parallelism& /*parallelism*/) const {}

  // The element that all bytes repeat, if that is known without reading them.
  virtual std::optional<std::span<const std::byte>> repeated() const { return std::nullopt; }
};

struct ByteRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t size() const { return end - begin; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// Is told of every range of a sink that will be written, before the first one is, and keeps the old
// bytes.
class UndoLog {
 public:
  virtual ~UndoLog() = default;

  // Keeps the bytes of these ranges, which ascend and do not overlap. Safe to call from several
  // threads. `buffer` is scratch memory that the caller reuses. Throws Error (file) when it cannot.
  virtual void keep(std::span<const ByteRange> ranges, std::vector<std::byte>& buffer) = 0;

  // Called once, when every range has been kept; only then may the sink be written. Throws Error
  // (file).
  virtual void seal() = 0;
};

class Sink {
 public:
  virtual ~Sink() = default;

  // Writes `bytes` at `offset`. Throws Error (file) when it cannot.
  // REQUIRES: unless is_random_access(), each write begins where the last one ended.
  virtual void write(std::int64_t offset, std::span<const std::byte> bytes) = 0;

  // Whether writes may come in any order and from several threads.
  virtual bool is_random_access() const { return true; }

  // The sink's memory, if it is memory: tiles are then computed in place.
  virtual std::optional<std::span<std::byte>> memory() { return std::nullopt; }

  // Whether the sink already holds data's bytes, so that only what is touched has to be written.
  virtual bool holds_data() const { return false; }

  // The distance in bytes from a page boundary of the file to byte 0: whole pages are written
  // faster.
  virtual std::int64_t page_offset() const { return 0; }

  // The unit, in bytes and aligned in the file, that is better written whole: for a partial one the
  // file system must first read the rest, unless it is in memory. A power of two.
  virtual std::int64_t write_unit() const { return 1; }

  // Whether a short write costs little more than its bytes, as it does not where it is a call of
  // the system.
  virtual bool takes_short_writes() const { return false; }

  // If set, it is told of everything that will be written, and sealed, before the first write.
  // REQUIRES: holds_data() if set.
  virtual UndoLog* undo_log() { return nullptr; }

  // Called before the first write when little of `data` is touched: takes on data's bytes without
  // copying them, if it can (by cloning the file). Returns holds_data().
  virtual bool adopt(const Source& /*data*/) { return holds_data(); }
};

// Source::read() of bytes in memory.
void read_memory(std::span<const std::byte> bytes, std::int64_t offset, std::span<std::byte> into);

// The caller's memory as a source. REQUIRES: it outlives the source.
class SpanSource final : public Source {
 public:
  explicit SpanSource(std::span<const std::byte> bytes) : bytes_{bytes} {}

  std::int64_t size() const override { return static_cast<std::int64_t>(bytes_.size()); }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    read_memory(bytes_, offset, into);
  }
  std::optional<std::span<const std::byte>> view() const override { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

// The caller's memory as a sink.
class SpanSink final : public Sink {
 public:
  enum class Content : bool { anything, data };

  SpanSink(std::span<std::byte> bytes, Content content) : bytes_{bytes}, content_{content} {}

  void write(std::int64_t offset, std::span<const std::byte> bytes) override;
  std::optional<std::span<std::byte>> memory() override { return bytes_; }
  bool holds_data() const override { return content_ == Content::data; }

 private:
  std::span<std::byte> bytes_;
  Content content_;
};

}  // namespace tscatter
