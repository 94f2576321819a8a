#include "tscatter/io/formats/text/json_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/text/element_value.hpp"
#include "tscatter/io/formats/text/json_cursor.hpp"

namespace tscatter {
namespace {

constexpr std::size_t longest_character = 4;  // bytes of UTF-8
constexpr std::size_t longest_ahead = 16;     // what is held beside a token, at most

// What stands directly behind a number makes it no number.
bool continues_number(char byte) {
  const char letter = static_cast<char>(byte | 0x20);
  return is_digit(byte) || (letter >= 'a' && letter <= 'z') || byte == '.' || byte == '+' ||
         byte == '-' || byte == '_';
}

constexpr std::string_view escape_letters = "\"\\/bfnrt";
constexpr std::string_view escaped = "\"\\/\b\f\n\r\t";

bool is_high(char32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(char32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

char32_t unit_of(std::string_view digits) {
  unsigned unit = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  return unit;
}

// The character that \uXXXX, or two of them, at the front of `text` stand for. Cuts them off.
char32_t take_units(std::string_view& text) {
  constexpr std::size_t size = 6;
  const char32_t unit = unit_of(text.substr(2, 4));
  text.remove_prefix(size);
  if (!is_high(unit)) return unit;
  const char32_t low = unit_of(text.substr(2, 4));
  text.remove_prefix(size);
  return 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00);
}

std::optional<double> real_number(std::string_view text) {
  const std::optional<double> value = parse_real(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

template <class T>
std::optional<T> integer_number(std::string_view text) {
  T value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc{} ? std::optional(value) : std::nullopt;
}

}  // namespace

void JsonPlace::pass(std::string_view text) {
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    ++line;
    column = 1;
    text.remove_prefix(end + 1);
  }
  column += static_cast<std::int64_t>(text.size());
}

std::string to_string(const JsonPlace& place) {
  return place.line == 1 ? fmt::format("column {}", place.column)
                         : fmt::format("line {}, column {}", place.line, place.column);
}

std::optional<ElementValue> json_number(std::string_view text) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return infinity;
  if (text == "-Infinity") return -infinity;
  const bool is_integer = text.find_first_of(".eE") == std::string_view::npos;
  if (is_integer) {
    if (const auto value = integer_number<std::int64_t>(text)) return *value;
    if (const auto value = integer_number<std::uint64_t>(text)) return *value;
  }
  const std::optional<double> value = real_number(text);
  if (!value) return std::nullopt;
  return is_integer ? ElementValue(HugeInteger{*value}) : ElementValue(*value);
}

JsonParser::JsonParser(std::string_view text, std::size_t longest_token, JsonEvents& events)
    : events_{events},
      longest_token_{longest_token},
      window_{text.data()},
      token_{window_},
      at_{window_},
      end_{window_ + text.size()} {}

JsonParser::JsonParser(NextPiece next, std::size_t piece_size, std::size_t longest_token,
                       JsonEvents& events)
    : next_{std::move(next)},
      buffer_(piece_size + longest_token + longest_ahead),
      events_{events},
      longest_token_{longest_token},
      window_{buffer_.data()},
      token_{window_},
      at_{window_},
      end_{window_} {}

// Reads on behind what is held; the token stays. False at the end of the text.
bool JsonParser::fill() {
  if (!next_) return false;
  if (static_cast<std::size_t>(at_ - token_) > longest_token_ + 1) refuse(Token::too_long, token_);
  place_.pass({window_, token_});
  offset_ += token_ - window_;
  const auto kept = static_cast<std::size_t>(end_ - token_);
  const auto passed = at_ - token_;
  std::copy(token_, end_, buffer_.data());
  const std::size_t got = next_(std::span(buffer_).subspan(kept));
  window_ = token_ = buffer_.data();
  at_ = token_ + passed;
  end_ = token_ + kept + got;
  return got > 0;
}

JsonPlace JsonParser::place_of(const char* at) const {
  JsonPlace place = place_;
  place.pass({window_, at});
  return place;
}

void JsonParser::refuse(Token token, const char* at) {
  events_.refuse({.token = token,
                  .wanted = wanted_,
                  .offset = offset_ + (at - window_),
                  .place = place_of(at)});
  unreachable();
}

void JsonParser::refuse_kind() { refuse(Token::none, token_); }

// The mark of UTF-8 that some editors put in front.
void JsonParser::pass_mark() {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  while (static_cast<std::size_t>(end_ - at_) < mark.size() && fill()) {
  }
  if (std::string_view(at_, end_).starts_with(mark)) at_ += mark.size();
}

void JsonParser::pass_blanks() {
  do {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    token_ = at_;
  } while (at_ == end_ && fill());
}

void JsonParser::run() {
  pass_mark();
  take_value(next(Wanted::value));
  while (!is_object_.empty()) take_next();
  if (next(Wanted::text_end) != Kind::end) refuse_kind();
}

// In the innermost brackets: an element or a member, or their end.
void JsonParser::take_next() {
  const bool is_object = is_object_.back();
  const bool is_first = std::exchange(is_first_, false);
  const Wanted first = is_object ? Wanted::key : Wanted::value;
  Kind kind = next(is_first ? first : is_object ? Wanted::object_end : Wanted::list_end);
  if (is(kind, is_object ? '}' : ']')) return end();
  if (!is_first) {
    if (!is(kind, ',')) refuse_kind();
    kind = next(first);
  }
  if (is_object) {
    take_key(kind);
    kind = next(Wanted::value);
  }
  take_value(kind);
}

void JsonParser::take_key(Kind kind) {
  if (kind != Kind::string) refuse_kind();
  events_.key(string_text());
  if (!is(next(Wanted::colon), ':')) refuse_kind();
}

void JsonParser::take_value(Kind kind) {
  switch (kind) {
    case Kind::string: return events_.string(string_text());
    case Kind::number: return events_.number({token_, at_});
    case Kind::word: return take_word();
    case Kind::end: refuse_kind();
    case Kind::punctuation: return start();
  }
  unreachable();
}

void JsonParser::take_word() {
  if (*token_ == 'n') return events_.null();
  events_.boolean(*token_ == 't');
}

void JsonParser::start() {
  if (*token_ != '[' && *token_ != '{') refuse_kind();
  events_.start(*token_);
  is_object_.push_back(*token_ == '{');
  is_first_ = true;
}

void JsonParser::end() {
  is_object_.pop_back();
  events_.end(*token_);
}

JsonParser::Kind JsonParser::next(Wanted wanted) {
  wanted_ = wanted;
  pass_blanks();
  if (at_ == end_) return Kind::end;
  switch (*at_) {
    case '[':
    case ']':
    case '{':
    case '}':
    case ',':
    case ':': ++at_; return Kind::punctuation;
    case '"': return read_string();
    case 't':
    case 'f':
    case 'n':
    case 'N':
    case 'I': return read_word();
    case '\0': refuse(Token::nul, at_);
    default: return read_number();
  }
}

JsonParser::Kind JsonParser::read_string() {
  ++at_;
  has_escapes_ = false;
  for (;;) {
    while (at_ != end_ && is_plain_in_json(*at_)) ++at_;
    if (!more()) refuse(Token::unclosed, at_);
    if (*at_ == '"') break;
    if (*at_ == '\\') {
      pass_escape();
    } else {
      pass_character();
    }
  }
  if (static_cast<std::size_t>(at_ - token_) - 1 > longest_token_) refuse(Token::too_long, token_);
  ++at_;
  return Kind::string;
}

void JsonParser::pass_character() {
  if (static_cast<unsigned char>(*at_) < ' ')
    refuse(*at_ == '\0' ? Token::nul : Token::control, at_);
  while (static_cast<std::size_t>(end_ - at_) < longest_character && fill()) {
  }
  const std::size_t size = character_size({at_, end_});
  if (size == 0) refuse(Token::not_utf8, at_);
  at_ += size;
}

// \n, \u00e4, \ud83d\ude00
void JsonParser::pass_escape() {
  has_escapes_ = true;
  const std::ptrdiff_t escape = at_ - token_;
  ++at_;
  if (!more()) refuse(Token::unclosed, at_);
  const char letter = *at_++;
  if (escape_letters.find(letter) != std::string_view::npos) return;
  if (letter != 'u') refuse(Token::escape, token_ + escape);
  const char32_t unit = pass_unit(escape);
  if (is_low(unit)) refuse(Token::surrogate, token_ + escape);
  if (!is_high(unit)) return;
  if (!pass_word("\\u") || !is_low(pass_unit(escape))) refuse(Token::surrogate, token_ + escape);
}

// The four digits of \uXXXX, whose backslash is at token_[escape].
char32_t JsonParser::pass_unit(std::ptrdiff_t escape) {
  constexpr std::string_view digits = "0123456789abcdefABCDEF";
  for (int i = 0; i < 4; ++i) {
    if (!more() || digits.find(*at_) == std::string_view::npos)
      refuse(Token::unicode_escape, token_ + escape);
    ++at_;
  }
  return unit_of({at_ - 4, at_});
}

std::string_view JsonParser::string_text() {
  std::string_view rest(token_ + 1, at_ - 1);
  if (!has_escapes_) return rest;
  decoded_.clear();
  while (!rest.empty()) {
    decoded_ += rest.substr(0, rest.find('\\'));
    rest.remove_prefix(std::min(rest.find('\\'), rest.size()));
    if (rest.empty()) break;
    if (rest[1] == 'u') {
      append_character(decoded_, take_units(rest));
    } else {
      decoded_ += escaped[escape_letters.find(rest[1])];
      rest.remove_prefix(2);
    }
  }
  return decoded_;
}

// -12.5e-3, -Infinity
JsonParser::Kind JsonParser::read_number() {
  if (*at_ == '-') ++at_;
  if (more() && *at_ == 'I') {
    if (!pass_word("Infinity") || (more() && continues_number(*at_)))
      refuse(Token::unknown, token_);
    return Kind::number;
  }
  bool is_number = true;
  if (more() && *at_ == '0') {
    ++at_;
  } else {
    is_number = pass_digits();
  }
  if (is_number && more() && *at_ == '.') {
    ++at_;
    is_number = pass_digits();
  }
  if (is_number && more() && (*at_ | 0x20) == 'e') {
    ++at_;
    if (more() && (*at_ == '+' || *at_ == '-')) ++at_;
    is_number = pass_digits();
  }
  if (!is_number || (more() && continues_number(*at_))) refuse(Token::unknown, token_);
  if (static_cast<std::size_t>(at_ - token_) > longest_token_) refuse(Token::too_long, token_);
  return Kind::number;
}

// Whether there is one, at least.
bool JsonParser::pass_digits() {
  const std::ptrdiff_t first = at_ - token_;
  while (more() && is_digit(*at_)) ++at_;
  return at_ - token_ > first;
}

JsonParser::Kind JsonParser::read_word() {
  const bool is_number = *at_ == 'N' || *at_ == 'I';
  const bool is_known = is_number ? pass_word("NaN") || pass_word("Infinity")
                                  : pass_word("true") || pass_word("false") || pass_word("null");
  if (!is_known || (more() && continues_number(*at_))) refuse(Token::unknown, token_);
  return is_number ? Kind::number : Kind::word;
}

// Whether it is what comes; if not, nothing is passed.
bool JsonParser::pass_word(std::string_view word) {
  while (static_cast<std::size_t>(end_ - at_) < word.size() && fill()) {
  }
  if (!std::string_view(at_, end_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

}  // namespace tscatter
