// Reads JSON text front to back and tells what it says, event by event, however long it is. NaN,
// Infinity and -Infinity are numbers, as Python's json.dumps writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/io/formats/text/element_value.hpp"

namespace tscatter {

// Where a byte of a text is: line and column from 1, in bytes.
struct JsonPlace {
  std::int64_t line = 1;
  std::int64_t column = 1;

  // Moves on over this text.
  void pass(std::string_view text);
};

// "line 2, column 5"; "column 5" in the first line.
std::string to_string(const JsonPlace& place);

// Where the text stops to be JSON.
struct JsonFault {
  // What is wrong with the token itself; none: it is one, but another was wanted.
  enum class Token : std::uint8_t {
    none,
    unknown,  // no token begins like this
    nul,
    too_long,
    unclosed,  // the rest is about strings
    control,
    not_utf8,
    escape,
    unicode_escape,
    surrogate
  };
  enum class Wanted : std::uint8_t { value, key, colon, list_end, object_end, text_end };

  Token token = Token::none;
  Wanted wanted = Wanted::value;
  std::int64_t offset = 0;  // of the byte in the text
  JsonPlace place = {};
};

// What a text says, in its order. What is given lives until the next event.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;

  virtual void null() = 0;
  virtual void boolean(bool value) = 0;
  virtual void number(std::string_view text) = 0;   // as it is written: -0, 1.50, NaN
  virtual void string(std::string_view text) = 0;   // its escapes decoded
  virtual void key(std::string_view text) = 0;      // the same
  virtual void start(char bracket) = 0;             // [ or {
  virtual void end(char bracket) = 0;               // ] or }
  virtual void refuse(const JsonFault& fault) = 0;  // REQUIRES: it throws
};

// Fills the buffer from its front and returns how many bytes; 0 after the end.
using NextPiece = std::function<std::size_t(std::span<char>)>;

class JsonParser {
 public:
  // A string (without its quotes) or a number has at most `longest_token` bytes. REQUIRES: text and
  // events outlive the parser.
  JsonParser(std::string_view text, std::size_t longest_token, JsonEvents& events);
  // Holds a piece of the text and a token.
  JsonParser(NextPiece next, std::size_t piece_size, std::size_t longest_token, JsonEvents& events);

  void run();

  // The token that the present event is about: its first byte, and the one behind it.
  std::int64_t token_begin() const { return offset_ + (token_ - window_); }
  std::int64_t token_end() const { return offset_ + (at_ - window_); }
  JsonPlace token_place() const { return place_of(token_); }

 private:
  using Token = JsonFault::Token;
  using Wanted = JsonFault::Wanted;

  enum class Kind : std::uint8_t { punctuation, string, number, word, end };

  bool more() { return at_ != end_ || fill(); }  // whether there is a byte at at_
  bool fill();
  void pass_mark();
  void pass_blanks();

  // Reads a token: [token_, at_). Refuses what is none.
  Kind next(Wanted wanted);
  bool is(Kind kind, char first) const { return kind == Kind::punctuation && *token_ == first; }

  void take_next();
  void take_key(Kind kind);
  void take_value(Kind kind);
  void take_word();
  void start();
  void end();

  Kind read_string();
  void pass_character();
  void pass_escape();
  char32_t pass_unit(std::ptrdiff_t escape);
  std::string_view string_text();
  Kind read_number();
  bool pass_digits();
  Kind read_word();
  bool pass_word(std::string_view word);

  JsonPlace place_of(const char* at) const;
  [[noreturn]] void refuse(Token token, const char* at);
  [[noreturn]] void refuse_kind();

  NextPiece next_;
  std::vector<char> buffer_;
  JsonEvents& events_;
  std::size_t longest_token_;
  // What is held of the text: [window_, end_); the token begins at token_.
  const char* window_;
  const char* token_;
  const char* at_;
  const char* end_;
  std::int64_t offset_ = 0;  // of window_ in the text
  JsonPlace place_;          // of window_
  Wanted wanted_ = Wanted::value;
  std::vector<bool> is_object_;  // of each open bracket
  bool is_first_ = false;        // nothing came yet in the innermost one
  bool has_escapes_ = false;     // the string
  std::string decoded_;
};

// The value of a number's text; nullopt for a finite one beyond float64.
std::optional<ElementValue> json_number(std::string_view text);

// The longest string or number of a tensor's text: the longest exact decimal of a float64 has some
// 1,080 characters.
inline constexpr std::size_t longest_json_token = 4096;

// ---- What is wrong with a text that is not JSON, in words.

struct JsonMistake {
  std::string hint;  // " (NaN is written \"NaN\")", or nothing
  std::string got;   // "NaN at column 5"
};

// REQUIRES: the fault is of this text, and no token that is too long.
JsonMistake json_mistake(const Source& text, const JsonFault& fault);

// What to write for a value that JSON does not have: " (NaN is written \"NaN\")" for nan; "" for
// others.
std::string json_word_hint(std::string_view word);

}  // namespace tscatter
