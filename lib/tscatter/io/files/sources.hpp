// Sources: files that are mapped into memory, a range of a regular file, a part of another source,
// owned bytes; and bytes that are passed on as they are read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter {

// ---- A file's bytes mapped into memory, read-only. If the file is truncated meanwhile, reading
// the mapping would end the process with SIGBUS; with guard_mappings() the missing pages read as
// zeros and is_broken() tells. Source::check_view() asks it after each tile, so that a result never
// has these zeros.

// Installs a SIGBUS handler for mappings; it passes every other fault on to the previous handler.
// Until it is called, files are read, never mapped. For programs: call it once, at the start.
void guard_mappings();

class Mapping {
 public:
  // nullptr if mappings are not guarded or the file cannot be mapped: the caller then reads it.
  static std::unique_ptr<const Mapping> of(int descriptor, std::int64_t size);

  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  std::span<const std::byte> bytes() const { return bytes_; }
  bool is_broken() const;  // a page was missing when it was read

 private:
  Mapping(std::span<const std::byte> bytes, std::size_t guard) : bytes_{bytes}, guard_{guard} {}

  std::span<const std::byte> bytes_;
  std::size_t guard_;
};

// ---- A range of a regular file as a source, and a part of any source as a source.

class FileSource final : public Source {
 public:
  // The whole file, at its present size.
  explicit FileSource(File file);

  std::int64_t size() const override { return size_; }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    file_.read_at(offset, into);
  }
  std::optional<std::span<const std::byte>> view() const override;  // mapped at the first call
  void check_view() const override;
  std::optional<Extent> extent() const override {
    return Extent{.descriptor = file_.descriptor(), .offset = 0};
  }

  const File& file() const { return file_; }

 private:
  File file_;
  std::int64_t size_;
  mutable std::once_flag mapped_;
  mutable std::unique_ptr<const Mapping> mapping_;
};

// `size` bytes of `whole` from `offset` on.
class PartSource final : public Source {
 public:
  PartSource(std::shared_ptr<const Source> whole, std::int64_t offset, std::int64_t size)
      : whole_{std::move(whole)}, offset_{offset}, size_{size} {}

  std::int64_t size() const override { return size_; }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    whole_->read(offset_ + offset, into);
  }
  std::optional<std::span<const std::byte>> view() const override;
  void check_view() const override { whole_->check_view(); }
  // Checks the whole: a part has no checksum of its own.
  void check_content(const Parallelism& parallelism) const override {
    whole_->check_content(parallelism);
  }
  std::optional<Extent> extent() const override;

 private:
  std::shared_ptr<const Source> whole_;
  std::int64_t offset_;
  std::int64_t size_;
};

// ---- A source that owns its bytes.

template <class T>
class OwnedSource final : public Source {
 public:
  explicit OwnedSource(std::vector<T> elements) : elements_{std::move(elements)} {}

  std::int64_t size() const override { return static_cast<std::int64_t>(bytes().size()); }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    read_memory(bytes(), offset, into);
  }
  std::optional<std::span<const std::byte>> view() const override { return bytes(); }

 private:
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(elements_)); }

  std::vector<T> elements_;
};

template <class T>
std::shared_ptr<const Source> owned_source(std::vector<T> elements) {
  return std::make_shared<OwnedSource<T>>(std::move(elements));
}

// ---- Bytes that are passed on as they are read, in pieces.

// take(offset, bytes) is called for each piece of the range, in order. Throws Error (file), and
// Cancelled when *stop becomes true.
template <class Take>
void read_pieces(const Source& source, ByteRange range, StopFlag stop, const Take& take) {
  constexpr std::int64_t piece = std::int64_t{512} * 1024;  // bytes
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(piece, range.size())));
  for (std::int64_t at = range.begin; at < range.end; at += piece) {
    check_stop(stop);
    const auto bytes =
        std::span(buffer).first(static_cast<std::size_t>(std::min(piece, range.end - at)));
    source.read(at, bytes);
    take(at, std::span<const std::byte>(bytes));
  }
}

// All of it.
template <class Take>
void read_pieces(const Source& source, StopFlag stop, const Take& take) {
  read_pieces(source, {.begin = 0, .end = source.size()}, stop, take);
}

}  // namespace tscatter
