// Source and Sink: the two ends of every operation. Both are addressed in ranges of bytes, so that
// nobody needs to hold a whole tensor. Files, memory and pipes stand behind them (io/).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tscatter {

class Source {
 public:
  virtual ~Source() = default;

  virtual std::int64_t size() const = 0;  // bytes

  // Fills `into` with the bytes from `offset` on. Safe to call from several threads.
  // REQUIRES: the range lies inside size(). Throws Error (file) when it cannot be read.
  virtual void read(std::int64_t offset, std::span<std::byte> into) const = 0;

  // The bytes themselves where they can be addressed without a copy (memory, a mapped file).
  virtual std::optional<std::span<const std::byte>> view() const { return std::nullopt; }

  // The open file in which the bytes lie together, and where, if there is one.
  struct Extent {
    int descriptor;
    std::int64_t offset;
  };
  virtual std::optional<Extent> extent() const { return std::nullopt; }

  // Throws Error (file) when bytes handed out by view() turned out not to be there: the file was
  // cut meanwhile.
  virtual void check_view() const {}

  // Throws Error (format) when the bytes do not have the checksum that their container says; reads
  // them all where there is one. Ends with Cancelled when *stop becomes true.
  virtual void check_content(int /*threads*/, const std::atomic<bool>* /*stop*/) const {}

  // The element that all bytes repeat, where that is known without reading them.
  virtual std::optional<std::span<const std::byte>> repeated() const { return std::nullopt; }
};

struct ByteRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t size() const { return end - begin; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// Hears of every range of a sink that is going to be written before the first one is, and keeps
// what stands there.
class UndoLog {
 public:
  virtual ~UndoLog() = default;

  // Keeps the bytes of these ranges, which go up and do not meet. Safe to call from several
  // threads. `buffer` is the caller's, for reuse. Throws Error (file) when it cannot.
  virtual void keep(std::span<const ByteRange> ranges, std::vector<std::byte>& buffer) = 0;

  // Called once, when every range was kept: only now may be written. Throws Error (file).
  virtual void seal() = 0;
};

class Sink {
 public:
  virtual ~Sink() = default;

  // Writes `bytes` at `offset`. Throws Error (file) when it cannot.
  // REQUIRES: where !is_random_access(), each write begins where the last one ended.
  virtual void write(std::int64_t offset, std::span<const std::byte> bytes) = 0;

  // Whether writes may come in any order and from several threads.
  virtual bool is_random_access() const { return true; }

  // The memory that is written to, where the sink is memory: tiles are then worked on in place.
  virtual std::optional<std::span<std::byte>> memory() { return std::nullopt; }

  // Whether data's bytes already stand here, so that only what is touched has to be written.
  virtual bool holds_data() const { return false; }

  // How many bytes byte 0 lies behind a page boundary of the file: whole pages are written faster.
  virtual std::int64_t page_offset() const { return 0; }

  // Bytes of the file, from a multiple of this on, that are better written whole: of the rest the
  // file system would read what it does not have in memory. A power of two.
  virtual std::int64_t write_unit() const { return 1; }

  // Where set, it is told of all that is going to be written, and sealed, before the first write.
  // REQUIRES: holds_data() where it is.
  virtual UndoLog* undo_log() { return nullptr; }

  // Asked before the first write when little of `data` is touched: takes data's bytes over without
  // a copy, where that can be had (a clone of the file). Returns holds_data().
  virtual bool adopt(const Source& /*data*/) { return holds_data(); }
};

// The caller's memory as a source. REQUIRES: it outlives the source.
class SpanSource final : public Source {
 public:
  explicit SpanSource(std::span<const std::byte> bytes) : bytes_{bytes} {}

  std::int64_t size() const override { return static_cast<std::int64_t>(bytes_.size()); }
  void read(std::int64_t offset, std::span<std::byte> into) const override;
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
