// A place in a text that is read from front to back, and what follows it. Not part of the installed
// interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter {

class TextWindow {
 public:
  static constexpr std::size_t reach = 8192;

  // Reading throws Cancelled when *reading.stop becomes true. REQUIRES: both outlive it.
  TextWindow(const Source& text, const FormatReading& reading)
      : text_{text}, reading_{reading}, phase_{reading.progress, text.size()} {}

  // What follows: at least `reach` bytes, unless the text ends before. Valid until the next call.
  std::string_view ahead() {
    if (end_ - at_ < reach && offset_ < text_.size()) refill();
    return {piece_.data() + at_, end_ - at_};
  }

  // REQUIRES: so many bytes are ahead.
  void pass(std::size_t bytes) { at_ += bytes; }

 private:
  void refill();

  const Source& text_;
  const FormatReading& reading_;
  InnerPhase phase_;
  std::int64_t offset_ = 0;  // of what has not been read yet
  std::vector<char> piece_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace tscatter
