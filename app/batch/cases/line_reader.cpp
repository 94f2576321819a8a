#include "batch/cases/line_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "batch/cases/case_reader.hpp"
#include "batch/cases/node_test_lines.hpp"
#include "jobs/operand.hpp"
#include "process/environment.hpp"
#include "process/signals.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {
namespace {

bool is_passed_over(const Line& line) {
  const std::size_t at = line.text.find_first_not_of(" \t\r");
  if (at == std::string::npos) return !line.is_too_long;
  return line.text[at] == '#';
}

}  // namespace

LineReader::LineReader(CaseFiles& files, const std::atomic<bool>* stop)
    : files_{files}, stop_{stop}, inputs_(files.size()) {
  open(0);
  size_ = size_to_come();
}

// Bytes of all files; 0 if one of them is not a regular file.
std::int64_t LineReader::size_to_come() const {
  if (inputs_[0].lines) return 0;
  std::int64_t size = inputs_[0].size();
  for (std::size_t i = 1; i < files_.size(); ++i) {
    struct stat status {};
    const bool has_lines = files_[i].source == CaseSource::lines;
    if (!has_lines || ::stat(files_[i].path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
      return 0;
    size += status.st_size;
  }
  return size;
}

void LineReader::open(std::size_t at) {
  const bool is_open = file_ && at_ == at;
  at_ = at;
  number_ = 0;
  offset_ = 0;
  is_at_end_ = false;
  if (!is_open && !(is_read_again_ && inputs_[at].lines)) open_anew(at);
  if (is_read_again_ && !inputs_[at].lines)
    ::lseek(file_->descriptor(), inputs_[at].begin, SEEK_SET);
}

void LineReader::make_lines(std::size_t at) {
  const std::string lines = node_test_lines(files_[at].path);
  inputs_[at].lines.emplace(temporary_directory(), files_[at].name);
  inputs_[at].lines->append(std::as_bytes(std::span(lines)));
}

void LineReader::open_anew(std::size_t at) {
  if (files_[at].source == CaseSource::node_test) return make_lines(at);
  const std::string& path = files_[at].path;
  file_.emplace(path == "-" ? stdin_file() : open_settled(path, path, LockHolder::anybody, stop_));
  if (is_read_again_) return;
  Input& input = inputs_[at];
  input.status = file_->status();
  if (S_ISREG(input.status.st_mode)) {
    input.begin = ::lseek(file_->descriptor(), 0, SEEK_CUR);
  } else {
    input.lines.emplace(temporary_directory(), file_->name());
  }
}

// False after the last file.
bool LineReader::open_next() {
  if (at_ + 1 == files_.size()) return false;
  if (!is_read_again_) files_.place(at_ + 1, files_[at_].lines_before + number_);
  open(at_ + 1);
  return true;
}

void LineReader::rewind() {
  is_read_again_ = true;
  bytes_read_ = 0;
  std::int64_t size = 0;
  for (const Input& input : inputs_) size += input.size();
  size_ = size;
  open(0);
}

std::int64_t LineReader::lines_left(std::int64_t enough) const {
  if (bytes_read_ < size_ || size_ == 0) return enough;
  const char* const last = buffer_.data() + end_;
  std::int64_t lines = 0;
  for (const char* at = buffer_.data() + begin_; at < last && lines < enough; ++lines) {
    const char* const end = std::find(at, last, '\n');
    at = end == last ? last : end + 1;
  }
  return lines;
}

std::optional<Line> LineReader::next() {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  while (std::optional<Line> line = next_line()) {
    if (line->number == 1 && line->text.starts_with(byte_order_mark))
      line->text.erase(0, byte_order_mark.size());
    if (!is_passed_over(*line)) return line;
  }
  return std::nullopt;
}

std::optional<Line> LineReader::next_line() {
  while (begin_ == end_ && !fill()) {
    if (*stop_ || !open_next()) return std::nullopt;
  }
  Line line{.number = ++number_, .file = &files_[at_]};
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
  const auto into = std::as_writable_bytes(std::span(buffer_));
  begin_ = 0;
  const bool is_made = files_[at_].source == CaseSource::node_test;
  end_ = is_read_again_ || is_made ? read_again(into) : read_first(into);
  offset_ += static_cast<std::int64_t>(end_);
  bytes_read_ += static_cast<std::int64_t>(end_);
  return end_ > 0;
}

std::size_t LineReader::read_first(std::span<std::byte> into) {
  constexpr int patience = 50;  // milliseconds
  while (!file_->is_readable_within(patience)) {
    if (*stop_) return 0;
  }
  if (*stop_) return 0;
  const std::size_t got = file_->read_available(into);
  if (auto& lines = inputs_[at_].lines) lines->append(into.first(got));
  is_at_end_ = got == 0;
  return got;
}

std::size_t LineReader::read_again(std::span<std::byte> into) {
  if (*stop_) return 0;
  std::size_t got = 0;
  if (const auto& lines = inputs_[at_].lines) {
    got = static_cast<std::size_t>(
        std::min(static_cast<std::int64_t>(into.size()), lines->size() - offset_));
    lines->read(offset_, into.first(got));
  } else {
    got = file_->read_available(into);
    require_unchanged();
  }
  is_at_end_ = got == 0;
  return got;
}

// What is planned for must be what is run.
void LineReader::require_unchanged() const {
  const struct stat now = file_->status();
  const struct stat& then = inputs_[at_].status;
  const bool is_same = now.st_ino == then.st_ino && now.st_dev == then.st_dev &&
                       now.st_size == then.st_size && now.st_mtim.tv_sec == then.st_mtim.tv_sec &&
                       now.st_mtim.tv_nsec == then.st_mtim.tv_nsec;
  // batch.b13
  if (!is_same) {
    fail(ErrorKind::file, "batch.b13", file_->name(),
         "a batch must stay as it is while it is run, got one that was changed meanwhile");
  }
}

bool LineReader::has_ended() const {
  if (begin_ != end_) return false;
  const bool is_last = at_ + 1 == files_.size();
  return (is_last && is_at_end_) || (size_ > 0 && bytes_read_ >= size_);
}

FoundCase find_case(const std::string& name, const std::string& cases) {
  constexpr std::size_t most_names = 10000;  // of which the nearest is proposed
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
  // cli.c61
  fail(ErrorKind::usage, "cli.c61", "--case", "must be the name of a case of {}{}, got {}", cases,
       nearest_hint(name, names), name);
}

}  // namespace tscatter::app
