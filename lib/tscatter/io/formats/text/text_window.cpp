#include "tscatter/io/formats/text/text_window.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

#include "tscatter/io/files/file.hpp"

namespace tscatter {

MoreText rest_of(Spool& text, const File& pipe) {
  constexpr std::int64_t piece = std::int64_t{64} * 1024;
  return [&text, &pipe, goes_on = std::make_shared<bool>(true)] {
    return *goes_on = *goes_on && text.fill_from(pipe, text.size() + piece);
  };
}

// A short text takes no more than it needs.
void TextWindow::refill() {
  constexpr std::int64_t longest_piece = std::int64_t{256} * 1024;
  check_stop(reading_.stop);
  wait_for_reach();
  if (piece_.empty()) {
    const std::int64_t most = more_ ? longest_piece : std::min(text_.size(), longest_piece);
    piece_.resize(static_cast<std::size_t>(most));
  }
  std::memmove(piece_.data(), piece_.data() + at_, end_ - at_);
  end_ -= at_;
  at_ = 0;
  const auto count = static_cast<std::size_t>(
      std::min(static_cast<std::int64_t>(piece_.size() - end_), text_.size() - offset_));
  text_.read(offset_, std::as_writable_bytes(std::span(piece_).subspan(end_, count)));
  phase_.add(static_cast<std::int64_t>(count));
  offset_ += static_cast<std::int64_t>(count);
  end_ += count;
}

// For no more than is needed: what is wrong is to be found before the rest has come.
void TextWindow::wait_for_reach() {
  const auto ahead = static_cast<std::int64_t>(end_ - at_);
  while (more_ && ahead + text_.size() - offset_ < static_cast<std::int64_t>(reach)) {
    if (!more_()) more_ = {};
  }
}

}  // namespace tscatter
