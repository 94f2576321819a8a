#include "batch/cases/case_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "process/environment.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {

CaseList::CaseList(const CaseFiles& files, StopFlag stop)
    : files_{files},
      stop_{stop},
      kept_{temporary_directory(), files[0].name},
      reader_{std::in_place, files, stop, &kept_},
      inputs_(files.size()) {}

bool CaseList::read_all(const std::function<bool(const Line&)>& take) {
  while (const std::optional<Line> line = reader_->next()) {
    const std::size_t file = line->file->number - 1;
    if (const struct stat* status = reader_->status(); status != nullptr)
      inputs_[file] = {.is_kept = false, .status = *status};
    if (!take(*line)) continue;
    cases_.push_back({.offset = line->offset,
                      .number = line->number,
                      .file = static_cast<std::uint32_t>(file),
                      .length = static_cast<std::uint32_t>(line->text.size()) & 0x7fffffffU,
                      .is_too_long = line->is_too_long});
  }
  const bool is_whole = reader_->has_ended();
  reader_.reset();
  return is_whole;
}

Line CaseList::line(std::size_t at) {
  const Place& place = cases_[at];
  if (!is_in_window(place)) move_window(place);
  const auto begin = static_cast<std::size_t>(place.offset - window_begin_);
  return {.number = place.number,
          .text = window_.substr(begin, place.length),
          .is_too_long = place.is_too_long == 1,
          .file = &files_[place.file],
          .offset = place.offset};
}

std::optional<Line> CaseList::line_unless_stopped(std::size_t at) {
  if (*stop_ && !is_in_window(cases_[at])) return std::nullopt;
  return line(at);
}

std::string CaseList::place_of(std::size_t at) const {
  return fmt::format("{}:{}", files_[cases_[at].file].name, cases_[at].number);
}

// Of all that is kept the same.
std::size_t CaseList::source_of(const Place& place) const {
  return inputs_[place.file].is_kept ? inputs_.size() : place.file;
}

bool CaseList::is_in_window(const Place& place) const {
  return window_of_ == source_of(place) && place.offset >= window_begin_ &&
         place.offset + place.length <= window_begin_ + std::ssize(window_);
}

void CaseList::move_window(const Place& place) {
  constexpr std::int64_t usual = std::int64_t{64} << 10U;
  const Input& input = inputs_[place.file];
  if (!input.is_kept && (!file_ || opened_ != place.file)) {
    file_.reset();
    file_.emplace(open_cases(files_[place.file], stop_));
    opened_ = place.file;
  }
  if (!input.is_kept) require_unchanged();
  const std::int64_t end = input.is_kept ? kept_.size() : input.status.st_size;
  const std::int64_t size =
      std::max(std::min(usual, end - place.offset), std::int64_t{place.length});
  std::string window(static_cast<std::size_t>(size), '\0');
  const auto into = std::as_writable_bytes(std::span(window));
  if (input.is_kept) {
    kept_.read(place.offset, into);
  } else {
    file_->read_at(place.offset, into);
    require_unchanged();
  }
  window_ = std::move(window);
  window_begin_ = place.offset;
  window_of_ = source_of(place);
}

// What is planned for must be what is run.
void CaseList::require_unchanged() const {
  const struct stat now = file_->status();
  const struct stat& then = inputs_[opened_].status;
  const bool is_same = now.st_ino == then.st_ino && now.st_dev == then.st_dev &&
                       now.st_size == then.st_size && now.st_mtim.tv_sec == then.st_mtim.tv_sec &&
                       now.st_mtim.tv_nsec == then.st_mtim.tv_nsec;
  // batch.b13
  if (!is_same) {
    fail(ErrorKind::file, "batch.b13", file_->name(), "the batch was changed while it was run");
  }
}

}  // namespace tscatter::app
