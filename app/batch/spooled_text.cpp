#include "batch/spooled_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "jobs/result.hpp"
#include "process/environment.hpp"

namespace tscatter::app {

SpooledText::SpooledText(std::string user)
    : user_{std::move(user)},
      spool_{std::in_place, temporary_directory(), temporary_directory().native()} {}

void SpooledText::append(std::string_view text) {
  constexpr std::size_t enough = std::size_t{64} << 10U;
  if (trouble_) return;
  pending_ += text;
  if (pending_.size() < enough) return;
  try {
    spool_->append(std::as_bytes(std::span(pending_)));
  } catch (const Error& error) {
    trouble_ = Error(error.kind(), error.label(), fmt::format("{} (for {})", error.where(), user_),
                     error.message());
    spool_.reset();
  }
  pending_.clear();
}

void SpooledText::read(const std::function<void(std::string_view)>& take) {
  if (trouble_) throw Error(*trouble_);
  constexpr std::int64_t piece = std::int64_t{256} << 10U;
  const Spool& spool = *spool_;
  std::vector<char> buffer(static_cast<std::size_t>(std::min(piece, spool.size())));
  for (std::int64_t offset = 0; offset < spool.size(); offset += piece) {
    const auto part =
        std::span(buffer).first(static_cast<std::size_t>(std::min(piece, spool.size() - offset)));
    spool.read(offset, std::as_writable_bytes(part));
    take(std::string_view(part.data(), part.size()));
  }
  take(pending_);
}

ReportFile::ReportFile(std::string path) : path_{std::move(path)} {
  std::error_code ignored;  // the attempt to open it reports what is wrong
  const std::filesystem::file_status status = std::filesystem::status(path_, ignored);
  const bool can_be_tried = !std::filesystem::exists(status) || !std::filesystem::is_other(status);
  if (can_be_tried) open_report(path_);
}

OutputFile& ReportFile::file() {
  if (file_ == nullptr) file_ = open_report(path_);
  return *file_;
}

void ReportFile::write(std::string_view text) {
  file().write(size_, std::as_bytes(std::span(text)));
  size_ += static_cast<std::int64_t>(text.size());
}

void ReportFile::commit() { file().commit(); }

}  // namespace tscatter::app
