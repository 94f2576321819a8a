// A place in a text that is read from front to back, and what follows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter {

// Adds to a text that is still coming; returns false at its end.
using MoreText = std::function<bool()>;

// Adds what comes through the pipe to the text. REQUIRES: both outlive it.
MoreText rest_of(Spool& text, const File& pipe);

class TextWindow {
 public:
  static constexpr std::size_t reach = 8192;

  // Reading throws Cancelled when *reading.stop becomes true. REQUIRES: text and reading outlive
  // it.
  TextWindow(const Source& text, const FormatReading& reading, MoreText more = {})
      : text_{text},
        reading_{reading},
        phase_{reading.progress, more ? 0 : text.size()},
        more_{std::move(more)} {}

  // What follows: at least `reach` bytes, unless the text ends before. Valid until the next call.
  std::string_view ahead() {
    if (end_ - at_ < reach && (offset_ < text_.size() || more_)) refill();
    return {piece_.data() + at_, end_ - at_};
  }

  // REQUIRES: so many bytes are ahead.
  void pass(std::size_t bytes) { at_ += bytes; }

  // How many bytes were passed.
  std::int64_t passed() const { return offset_ - static_cast<std::int64_t>(end_ - at_); }

 private:
  void refill();
  void wait_for_reach();

  const Source& text_;
  const FormatReading& reading_;
  InnerPhase phase_;
  MoreText more_;            // nothing: all of the text is there
  std::int64_t offset_ = 0;  // of what has not been read yet
  std::vector<char> piece_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace tscatter
