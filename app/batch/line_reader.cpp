#include "batch/line_reader.hpp"

#include <unistd.h>

#include <algorithm>

#include "process/environment.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

bool is_passed_over(const Line& line) {
  const std::size_t at = line.text.find_first_not_of(" \t\r");
  if (at == std::string::npos) return !line.is_too_long;
  return line.text[at] == '#';
}

}  // namespace

LineReader::LineReader(File file, const std::atomic<bool>* stop)
    : file_{std::move(file)},
      stop_{stop},
      status_{file_.status()},
      spool_{temporary_directory(), file_.name()} {
  if (!S_ISREG(status_.st_mode)) return;
  begin_of_file_ = ::lseek(file_.descriptor(), 0, SEEK_CUR);
  size_ = status_.st_size - begin_of_file_;
}

void LineReader::rewind() {
  is_read_again_ = true;
  is_at_end_ = false;
  number_ = 0;
  bytes_read_ = 0;
  if (S_ISREG(status_.st_mode)) {
    ::lseek(file_.descriptor(), begin_of_file_, SEEK_SET);
  } else {
    size_ = spool_.size();
  }
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
  if (begin_ == end_ && !fill()) return std::nullopt;
  Line line{.number = ++number_};
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
  end_ = is_read_again_ ? read_again(into) : read_first(into);
  bytes_read_ += static_cast<std::int64_t>(end_);
  return end_ > 0;
}

std::size_t LineReader::read_first(std::span<std::byte> into) {
  constexpr int patience = 50;  // milliseconds
  while (!file_.is_readable_within(patience)) {
    if (*stop_) return 0;
  }
  if (*stop_) return 0;
  const std::size_t got = file_.read_available(into);
  if (!S_ISREG(status_.st_mode)) spool_.append(into.first(got));
  is_at_end_ = got == 0;
  return got;
}

std::size_t LineReader::read_again(std::span<std::byte> into) {
  if (*stop_) return 0;
  if (S_ISREG(status_.st_mode)) {
    const std::size_t got = file_.read_available(into);
    require_unchanged();
    is_at_end_ = got == 0;
    return got;
  }
  const auto got = static_cast<std::size_t>(
      std::min(static_cast<std::int64_t>(into.size()), spool_.size() - bytes_read_));
  spool_.read(bytes_read_, into.first(got));
  is_at_end_ = got == 0;
  return got;
}

// What is planned for must be what is run.
void LineReader::require_unchanged() const {
  const struct stat now = file_.status();
  const bool is_same = now.st_size == status_.st_size &&
                       now.st_mtim.tv_sec == status_.st_mtim.tv_sec &&
                       now.st_mtim.tv_nsec == status_.st_mtim.tv_nsec;
  // batch.b13
  if (!is_same) {
    fail(ErrorKind::file, "batch.b13", file_.name(),
         "a batch must stay as it is while it is run, got one that was changed meanwhile");
  }
}

bool LineReader::has_ended() const {
  if (begin_ != end_) return false;
  return is_at_end_ || (size_ > 0 && bytes_read_ >= size_);
}

}  // namespace tscatter::app
