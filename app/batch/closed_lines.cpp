#include "batch/closed_lines.hpp"

#include <algorithm>
#include <span>

#include "batch/line_reader.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::app {

std::optional<std::string_view> ClosedLines::next() {
  for (;;) {
    const std::size_t end = held_.find('\n', searched_);
    if (end != std::string::npos) {
      const std::size_t begin = begin_;
      begin_ = searched_ = end + 1;
      return std::string_view(held_).substr(begin, end - begin);
    }
    searched_ = held_.size();
    if (!read_more()) return std::nullopt;
  }
}

bool ClosedLines::read_more() {
  const File file = File::open_for_reading(path_);
  const std::int64_t left = std::int64_t{file.status().st_size} - offset_;
  if (left <= 0) return false;
  held_.erase(0, begin_);
  searched_ -= begin_;
  begin_ = 0;
  const std::size_t before = held_.size();
  // Of a case's line, which may be as long, a result has its name and the words that repeat it.
  constexpr std::size_t most = 4 * longest_line;
  // batch.b18
  if (before >= most) {
    fail(ErrorKind::format, "batch.b18", path_,
         "a report that is merged must be that of a shard of this batch, got a line of "
         "{} bytes and more",
         most);
  }
  const std::int64_t count =
      std::min(left, static_cast<std::int64_t>(std::max(piece_, before)));  // a line may be long
  held_.resize(before + static_cast<std::size_t>(count));
  file.read_at(offset_, std::as_writable_bytes(std::span(held_)).subspan(before));
  offset_ += count;
  return true;
}

}  // namespace tscatter::app
