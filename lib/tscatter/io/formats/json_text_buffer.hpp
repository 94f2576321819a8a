// Feeds a tensor's JSON text to the parser in pieces, and refuses what the parser would pass over
// (a NUL byte ends the text for it) or need more than a few kilobytes for (a long string or
// number).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/io/formats/json_tensor.hpp"

namespace tscatter {

// Counts the bytes of strings and numbers, for which the parser takes memory.
class JsonTokenLength {
 public:
  // How many bytes of `text`, which continues what was seen before, precede the first byte that
  // makes a token too long.
  std::size_t allowed(std::string_view text);

 private:
  // Both return how many bytes they saw.
  std::size_t see_string(std::string_view text);
  std::size_t see_numbers(std::string_view text);
  void end_token();

  std::size_t length_ = 0;
  bool is_in_quotes_ = false;
  bool is_escaped_ = false;
};

// Where a byte of a text is: line and column from 1, as the parser counts them.
struct JsonPlace {
  std::int64_t line = 1;
  std::int64_t column = 1;

  // Moves on over this text.
  void pass(std::string_view text);
};

// "line 2, column 5"; "column 5" in the first line.
std::string to_string(const JsonPlace& place);

// Fills the buffer from its front and returns how many bytes; 0 after the end.
using NextPiece = std::function<std::size_t(std::span<char>)>;

// Throws Error (json.f1) when the parser reads a NUL byte or into a token that is too long.
// REQUIRES: `reading` outlives it.
class JsonTextBuffer {
 public:
  JsonTextBuffer(NextPiece next, std::size_t piece_size, const JsonReading& reading);

  bool is_at_end() { return at_ == end_ && !fill(); }
  char byte() const { return piece_[at_]; }  // REQUIRES: not at the end
  void pass() { ++at_; }

 private:
  // Why the parser gets no byte after those of the present piece.
  enum class Stop : std::uint8_t { none, token, nul };

  bool fill();  // false after the end
  [[noreturn]] void refuse() const;

  NextPiece next_;
  const JsonReading& reading_;
  std::vector<char> piece_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;  // of what is given to the parser
  JsonTokenLength token_;
  JsonPlace place_;  // after the present piece
  Stop stop_ = Stop::none;
};

// The bytes that come, for a parser that takes iterators. All but the end stand at the same byte,
// the buffer's.
class JsonTextIterator {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names.
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;
  // NOLINTEND(readability-identifier-naming)

  JsonTextIterator() = default;  // the end
  explicit JsonTextIterator(JsonTextBuffer& buffer) : buffer_{&buffer} {}

  char operator*() const { return buffer_->byte(); }
  JsonTextIterator& operator++() {
    buffer_->pass();
    return *this;
  }
  bool operator==(const JsonTextIterator& other) const { return is_at_end() == other.is_at_end(); }

 private:
  bool is_at_end() const { return buffer_ == nullptr || buffer_->is_at_end(); }

  JsonTextBuffer* buffer_ = nullptr;
};

}  // namespace tscatter
