// Feeds a tensor's JSON text to the parser in pieces, and refuses what the parser would pass over
// (a NUL byte ends the text for it) or need more than a few kilobytes for (a long string or
// number).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <streambuf>
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
class JsonTextBuffer final : public std::streambuf {
 public:
  JsonTextBuffer(NextPiece next, std::size_t piece_size, const JsonReading& reading);

 protected:
  int_type underflow() override;

 private:
  // Why the parser gets no byte after those of the present piece.
  enum class Stop : std::uint8_t { none, token, nul };

  [[noreturn]] void refuse() const;

  NextPiece next_;
  const JsonReading& reading_;
  std::vector<char> piece_;
  JsonTokenLength token_;
  JsonPlace place_;  // after the present piece
  Stop stop_ = Stop::none;
};

}  // namespace tscatter
