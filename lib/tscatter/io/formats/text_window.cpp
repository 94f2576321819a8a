#include "tscatter/io/formats/text_window.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace tscatter {

// A short text takes no more than it needs.
void TextWindow::refill() {
  constexpr std::int64_t longest_piece = std::int64_t{256} * 1024;
  if (reading_.stop != nullptr && *reading_.stop) throw Cancelled();
  if (piece_.empty())
    piece_.resize(static_cast<std::size_t>(std::min(text_.size(), longest_piece)));
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

}  // namespace tscatter
