// A range of a regular file as a source, and a part of any source as a source.
#pragma once

#include <memory>
#include <mutex>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/mapping.hpp"

namespace tscatter {

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

}  // namespace tscatter
