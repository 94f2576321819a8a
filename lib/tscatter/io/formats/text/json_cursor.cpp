#include "tscatter/io/formats/text/json_cursor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

constexpr char quote = '"';

// Whether a number, true, false or null may have this byte.
bool is_of_scalar(int byte) {
  return is_digit(byte) || (byte >= 'a' && byte <= 'z') || byte == '-' || byte == '+' ||
         byte == '.' || byte == 'E';
}

struct Escape {
  char letter;
  char meant;
};
constexpr std::array<Escape, 8> escapes{{{'"', '"'},
                                         {'\\', '\\'},
                                         {'/', '/'},
                                         {'b', '\b'},
                                         {'f', '\f'},
                                         {'n', '\n'},
                                         {'r', '\r'},
                                         {'t', '\t'}}};

}  // namespace

void JsonCursor::move_to(std::int64_t at) {
  const std::int64_t index = at - piece_begin_;
  if (index >= 0 && index <= static_cast<std::int64_t>(piece_end_)) {
    index_ = static_cast<std::size_t>(index);
    return;
  }
  piece_begin_ = at;
  index_ = 0;
  piece_end_ = 0;
}

int JsonCursor::peek() {
  if (index_ == piece_end_) {
    piece_begin_ = at();
    index_ = 0;
    // Short at first: often little is read.
    next_piece_ = std::min(next_piece_ * 4, longest_piece);
    if (more_ && text_.end == piece_begin_) {
      if (!more_()) more_ = {};
      text_.end = source_.size();
    }
    const auto left = static_cast<std::size_t>(text_.end - piece_begin_);
    piece_end_ = std::min(left, next_piece_);
    piece_.resize(piece_end_);
    source_.read(piece_begin_, std::as_writable_bytes(std::span(piece_)));
  }
  return index_ == piece_end_ ? -1 : static_cast<unsigned char>(piece_[index_]);
}

int JsonCursor::pass() {
  const int byte = peek();
  if (byte >= 0) ++index_;
  return byte;
}

int JsonCursor::next() {
  while (is_blank(peek())) ++index_;
  return peek();
}

bool JsonCursor::takes(char token) {
  if (next() != token) return false;
  ++index_;
  return true;
}

void JsonCursor::expect(char token) {
  if (!takes(token)) refuse(std::string_view(&token, 1));
}

void JsonCursor::expect_end() {
  if (next() >= 0) refuse("its end");
}

void JsonCursor::refuse(std::string_view wanted) {
  const std::int64_t place = at();
  refuse(wanted, place, word());
}

void JsonCursor::refuse(std::string_view wanted, std::int64_t at, std::string_view got) const {
  fail(ErrorKind::format, naming_.label, naming_.name, "{} must have {} at byte {}, got {}",
       naming_.what, wanted, at, got);
}

std::string JsonCursor::word() {
  constexpr std::size_t longest = 24;
  std::string text;
  if (peek() < 0) return "its end";
  const bool is_scalar = is_of_scalar(peek());
  while (text.size() < longest && is_of_scalar(peek()) == is_scalar && peek() >= 0) {
    text += static_cast<char>(pass());
    if (!is_scalar) break;
  }
  return text;
}

void JsonCursor::read_key(std::string& key, std::size_t longest) {
  if (next() != quote) refuse("a key in quotes");
  key_at_ = at();
  key.clear();
  read_string(key, longest);
  expect(':');
}

void JsonCursor::read_string(std::string& into, std::size_t longest) {
  const std::size_t before = into.size();
  read_characters([&](std::string_view characters) {
    into += characters;
    if (into.size() - before > longest)
      refuse(fmt::format("a string of at most {} bytes", longest));
  });
}

void JsonCursor::skip_string() {
  read_characters([](std::string_view /*characters*/) {});
}

void JsonCursor::read_characters(const Take& take) {
  if (next() != quote) refuse("a string");
  ++index_;
  for (int byte = peek(); byte != quote; byte = peek()) {
    if (byte < ' ') refuse("a string that ends");
    if (byte == '\\') {
      read_escape(take);
    } else {
      read_character(take);
    }
  }
  ++index_;
}

void JsonCursor::read_character(const Take& take) {
  // What is plain ASCII goes in one piece.
  const std::string_view ahead = std::string_view(piece_).substr(index_, piece_end_ - index_);
  const auto* const end = std::ranges::find_if_not(ahead, is_plain_in_json);
  if (end != ahead.begin()) {
    index_ += static_cast<std::size_t>(end - ahead.begin());
    take({ahead.begin(), end});
    return;
  }
  const std::int64_t place = at();
  std::string character(1, static_cast<char>(pass()));
  while (character.size() < 4 && peek() >= 0 && continues_character(static_cast<char>(peek())))
    character += static_cast<char>(pass());
  if (character_size(character) != character.size()) refuse("UTF-8", place, character);
  take(character);
}

void JsonCursor::read_escape(const Take& take) {
  ++index_;
  const int letter = pass();
  const auto* const found = std::ranges::find(escapes, letter, &Escape::letter);
  if (found != escapes.end()) return take(std::string_view(&found->meant, 1));
  if (letter != 'u') refuse("an escape of JSON");
  char32_t code = read_unit();
  const bool is_high = code >= 0xD800 && code < 0xDC00;
  if (is_high) {
    if (pass() != '\\' || pass() != 'u') refuse("the second half of a character");
    const char32_t low = read_unit();
    if (low < 0xDC00 || low >= 0xE000) refuse("the second half of a character");
    code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
  } else if (code >= 0xDC00 && code < 0xE000) {
    refuse("the first half of a character");
  }
  std::string character;
  append_character(character, code);
  take(character);
}

// The four digits of \uXXXX.
char32_t JsonCursor::read_unit() {
  char32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = peek();
    const int letter = digit | 0x20;
    if (is_digit(digit)) {
      unit = unit * 16 + static_cast<char32_t>(digit - '0');
    } else if (letter >= 'a' && letter <= 'f') {
      unit = unit * 16 + static_cast<char32_t>(letter - 'a' + 10);
    } else {
      refuse("four hexadecimal digits");
    }
    ++index_;
  }
  return unit;
}

std::optional<std::int64_t> JsonCursor::read_integer() {
  if (!is_digit(next())) return std::nullopt;
  const std::int64_t begin = at();
  std::int64_t value = 0;
  bool fits = true;
  while (is_digit(peek())) {
    const int digit = pass() - '0';
    fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
           !__builtin_add_overflow(value, digit, &value);
  }
  const std::int64_t length = at() - begin;
  move_to(begin);
  const bool has_zero = peek() == '0' && length > 1;
  move_to(begin + length);
  if (fits && !has_zero && !is_of_scalar(peek())) return value;
  move_to(begin);
  return std::nullopt;
}

void JsonCursor::skip_value() { skip_value(16); }

void JsonCursor::skip_value(int levels) {
  if (levels == 0) refuse("values in at most 16 levels");
  std::string key;
  switch (next()) {
    case '{': return read_object(key, 4096, [&] { skip_value(levels - 1); });
    case '[': return read_list([&] { skip_value(levels - 1); });
    case quote: return skip_string();
    default: return skip_scalar();
  }
}

// true, false, null or a number.
void JsonCursor::skip_scalar() {
  next();
  const std::int64_t begin = at();
  const bool is_value = skip_word() || skip_number();
  if (is_value && !is_of_scalar(peek())) return;
  move_to(begin);
  refuse("a value");
}

bool JsonCursor::skip_word() {
  constexpr std::array<std::string_view, 3> words{"true", "false", "null"};
  const auto* const found = std::ranges::find(words, peek(), &std::string_view::front);
  return found != words.end() &&
         std::ranges::all_of(*found, [&](char letter) { return pass() == letter; });
}

// -12.5e-3
bool JsonCursor::skip_number() {
  if (peek() == '-') ++index_;
  if (peek() == '0') {
    ++index_;
  } else if (!skip_digits()) {
    return false;
  }
  if (peek() == '.') {
    ++index_;
    if (!skip_digits()) return false;
  }
  if ((peek() | 0x20) != 'e') return true;
  ++index_;
  if (peek() == '+' || peek() == '-') ++index_;
  return skip_digits();
}

// Whether there is one, at least.
bool JsonCursor::skip_digits() {
  if (!is_digit(peek())) return false;
  while (is_digit(peek())) ++index_;
  return true;
}

std::string json_string(std::string_view text) {
  std::string written(1, quote);
  for (const char each : text) {
    const auto* const found = std::ranges::find(escapes, each, &Escape::meant);
    if (found != escapes.end() && each != '/') {
      written += {'\\', found->letter};
    } else if (static_cast<unsigned char>(each) < 0x20U) {
      written += fmt::format("\\u{:04x}", static_cast<unsigned char>(each));
    } else {
      written += each;
    }
  }
  return written + quote;
}

}  // namespace tscatter
