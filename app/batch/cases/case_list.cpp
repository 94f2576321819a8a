#include "batch/cases/case_list.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <utility>

#include "batch/cases/case_files.hpp"
#include "batch/cases/case_reader.hpp"
#include "jobs/hash.hpp"
#include "jobs/operand.hpp"
#include "process/environment.hpp"
#include "process/host.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

// Of a source without lines of its own.
std::string made_lines(const BatchFile& file) {
  switch (file.source) {
    case CaseSource::node_test: return node_test_lines(file.path);
    case CaseSource::module: return module_lines(file.path);
    case CaseSource::pairs: return repeated("{}\n", file.pairs->pairs.size());
    case CaseSource::lines: break;
  }
  unreachable();
}

bool is_passed_over(const Line& line) {
  const std::size_t at = line.text.find_first_not_of(" \t\r");
  if (at == std::string::npos) return !line.is_too_long;
  return line.text[at] == '#';
}

// A file of cases, or stdin. Throws Error (file), and Cancelled when *stop becomes true.
File open_cases(const BatchFile& file, StopFlag stop) {
  return file.path == "-" ? stdin_file()
                          : open_settled(file.path, file.path, LockHolder::anybody, stop);
}

}  // namespace

LineReader::LineReader(const CaseFiles& files, StopFlag stop, Spool* kept)
    : files_{files}, stop_{stop}, kept_{kept} {
  open(0);
}

void LineReader::open(std::size_t at) {
  at_ = at;
  number_ = 0;
  begin_ = end_ = 0;
  file_.reset();
  if (files_[at].source == CaseSource::lines) {
    file_.emplace(open_cases(files_[at], stop_));
    status_ = file_->status();
  }
  is_kept_ = !file_ || !S_ISREG(status_.st_mode);
  if (!is_kept_) offset_ = ::lseek(file_->descriptor(), 0, SEEK_CUR);
  if (is_kept_ && kept_ != nullptr) offset_ = kept_->size();
  if (file_) return;
  const std::string lines = made_lines(files_[at]);
  buffer_.assign(lines.begin(), lines.end());
  end_ = lines.size();
  offset_ += std::ssize(lines);
  if (kept_ != nullptr) kept_->append(std::as_bytes(std::span(lines)));
}

// False after the last file.
bool LineReader::open_next() {
  if (at_ + 1 == files_.size()) {
    has_ended_ = true;
    return false;
  }
  open(at_ + 1);
  return true;
}

std::optional<Line> LineReader::next() {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  while (std::optional<Line> line = next_line()) {
    if (line->number == 1 && line->text.starts_with(byte_order_mark)) {
      line->text.erase(0, byte_order_mark.size());
      line->offset += std::ssize(byte_order_mark);
    }
    if (!is_passed_over(*line)) return line;
  }
  return std::nullopt;
}

std::optional<Line> LineReader::next_line() {
  while (begin_ == end_ && !fill()) {
    if (*stop_ || !open_next()) return std::nullopt;
  }
  Line line{.number = ++number_,
            .file = &files_[at_],
            .offset = offset_ - static_cast<std::int64_t>(end_ - begin_)};
  do {
    const char* first = buffer_.data() + begin_;
    const char* last = buffer_.data() + end_;
    const char* end = std::find(first, last, '\n');
    if (line.text.size() + static_cast<std::size_t>(end - first) > longest_line) {
      line.is_too_long = true;
    } else if (!line.is_too_long) {
      line.text.append(first, end);
    }
    begin_ = static_cast<std::size_t>(end - buffer_.data());
    if (end != last) {
      ++begin_;
      return line;
    }
  } while (fill());
  return *stop_ ? std::nullopt : std::optional(std::move(line));
}

bool LineReader::fill() {
  constexpr int patience = 50;  // milliseconds
  constexpr std::size_t most = std::size_t{64} << 10U;
  begin_ = end_ = 0;
  if (!file_ || *stop_) return false;
  while (!file_->is_readable_within(patience)) {
    if (*stop_) return false;
  }
  buffer_.resize(most);
  const auto into = std::as_writable_bytes(std::span(buffer_));
  end_ = file_->read_available(into);
  offset_ += static_cast<std::int64_t>(end_);
  if (is_kept_ && kept_ != nullptr) kept_->append(into.first(end_));
  return end_ > 0;
}

void BatchDigest::add(std::string_view line) {
  ++lines;
  sum += hash_of(line);
}

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

FoundCase find_case(const std::string& name, const std::string& cases) {
  constexpr std::size_t most_names = 10000;  // the nearest of them is proposed
  auto files = std::make_shared<CaseFiles>(std::vector<std::string>{cases});
  LineReader lines(*files, InterruptScope::stop());
  CaseReader reader;
  std::vector<std::string> names;
  while (const auto line = lines.next()) {
    std::optional<BatchCase> each = reader.read(*line);
    if (!each) continue;
    if (each->name == name || name_of_line(each->line) == name) {
      if (each->error) throw Error(*each->error);
      if (each->job_error) throw Error(*each->job_error);
      return {.files = std::move(files), .each = *std::move(each)};
    }
    if (names.size() < most_names) names.push_back(each->name);
  }
  const std::string list_hint =
      cases == "-" ? "" : fmt::format("tscatter batch {} --list prints them", cases);
  // cli.c61
  fail(ErrorKind::usage, "cli.c61", "--case", "must be the name of a case of {}{}, got {}", cases,
       nearest_hint(name, names, list_hint), name);
}

}  // namespace tscatter::app
