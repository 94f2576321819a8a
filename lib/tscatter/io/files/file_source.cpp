#include "tscatter/io/files/file_source.hpp"

#include "tscatter/core/fail.hpp"

namespace tscatter {

FileSource::FileSource(File file) : file_{std::move(file)}, size_{file_.status().st_size} {}

std::optional<std::span<const std::byte>> FileSource::view() const {
  std::call_once(mapped_, [&] {
    if (file_.files().is_system()) mapping_ = Mapping::of(file_.descriptor(), size_);
  });
  if (mapping_ == nullptr) return std::nullopt;
  return mapping_->bytes();
}

void FileSource::check_view() const {
  // file.f3
  if (mapping_ != nullptr && mapping_->is_broken()) {
    fail(ErrorKind::file, "file.f3", file_.name(),
         "changed while it was read: it was cut to {} bytes", std::int64_t{file_.status().st_size});
  }
}

std::optional<std::span<const std::byte>> PartSource::view() const {
  const auto whole = whole_->view();
  if (!whole) return std::nullopt;
  return whole->subspan(static_cast<std::size_t>(offset_), static_cast<std::size_t>(size_));
}

std::optional<Source::Extent> PartSource::extent() const {
  auto extent = whole_->extent();
  if (extent) extent->offset += offset_;
  return extent;
}

}  // namespace tscatter
