#include "batch/line_reader.hpp"

#include <algorithm>
#include <span>

namespace tscatter::app {
namespace {

bool is_passed_over(const Line& line) {
  const std::size_t at = line.text.find_first_not_of(" \t\r");
  if (at == std::string::npos) return !line.is_too_long;
  return line.text[at] == '#';
}

}  // namespace

LineReader::LineReader(File file, const std::atomic<bool>* stop)
    : file_{std::move(file)}, stop_{stop} {
  const struct stat status = file_.status();
  if (S_ISREG(status.st_mode)) size_ = status.st_size;
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
  constexpr int patience = 50;  // milliseconds
  while (!file_.is_readable_within(patience)) {
    if (*stop_) return false;
  }
  if (*stop_) return false;
  begin_ = 0;
  end_ = file_.read_available(std::as_writable_bytes(std::span(buffer_)));
  bytes_read_ += static_cast<std::int64_t>(end_);
  is_at_end_ = end_ == 0;
  return end_ > 0;
}

bool LineReader::has_ended() const {
  if (begin_ != end_) return false;
  return is_at_end_ || (size_ > 0 && bytes_read_ >= size_);
}

}  // namespace tscatter::app
