#include "tscatter/io/formats/npy/python_literal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter {
namespace {

constexpr int max_depth = 32;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool is_quote(char c) { return c == '\'' || c == '"'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// How many digits of the code follow \x, \u and \U.
std::size_t digits_after(char letter) {
  switch (letter) {
    case 'x': return 2;
    case 'u': return 4;
    case 'U': return 8;
    default: return 0;
  }
}

// The character as repr writes it in a string. Beyond Latin-1 nothing says what can be printed: it
// stays as it is.
std::string printed_or_escaped(char32_t code, std::size_t digits) {
  constexpr char32_t latin1 = 0x100;
  const bool is_printed =
      (code >= 0x20 && code < 0x7F) || (code > 0xA0 && code < latin1 && code != 0xAD);
  std::string text;
  if (is_printed) {
    append_character(text, code);
    return code == U'\\' ? text + text : text;
  }
  if (code == U'\n') return "\\n";
  if (code == U'\r') return "\\r";
  if (code == U'\t') return "\\t";
  if (code < latin1) return fmt::format("\\x{:02x}", static_cast<unsigned>(code));
  return digits == 4 ? fmt::format("\\u{:04x}", static_cast<unsigned>(code))
                     : fmt::format("\\U{:08x}", static_cast<unsigned>(code));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_{text} {}

  PythonValue parse_all() {
    PythonValue value = parse_value(0);
    skip_space();
    if (at_ < text_.size()) refuse("more after the value");
    return value;
  }

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    throw PythonSyntaxError(escape_control(fmt::format("{} at character {}", what, at_ + 1)));
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  char peek() {
    skip_space();
    if (at_ == text_.size()) refuse("an early end");
    return text_[at_];
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  PythonValue parse_value(int depth) {
    if (depth > max_depth) refuse("too deep a nesting");
    const char c = peek();
    if (c == '{') return {parse_dict(depth)};
    if (c == '[') return {PythonList{parse_items('[', ']', depth)}};
    if (c == '(') return parse_parentheses(depth);
    if (is_at_string()) return {PythonString{parse_string()}};
    if (is_digit(c) || c == '-') return {parse_integer()};
    if (is_letter(c)) return parse_word();
    refuse(fmt::format("'{}'", c));
  }

  std::vector<PythonValue> parse_items(char open, char close, int depth) {
    std::vector<PythonValue> items;
    take(open);
    ends_with_comma_ = false;
    while (!take(close)) {
      if (!items.empty() && !ends_with_comma_)
        refuse(fmt::format("'{}' instead of a comma", peek()));
      items.push_back(parse_value(depth + 1));
      ends_with_comma_ = take(',');
    }
    return items;
  }

  // (1) is 1, (1,) is a tuple.
  PythonValue parse_parentheses(int depth) {
    std::vector<PythonValue> items = parse_items('(', ')', depth);
    if (items.size() == 1 && !ends_with_comma_) return std::move(items.front());
    return {PythonTuple{std::move(items)}};
  }

  PythonDict parse_dict(int depth) {
    PythonDict dict;
    std::set<std::string> keys;
    take('{');
    bool comma = true;
    while (!take('}')) {
      if (!comma) refuse(fmt::format("'{}' instead of a comma", peek()));
      if (!is_at_string()) refuse("a key that is no string");
      std::string key = parse_string();
      if (!keys.insert(key).second) refuse(fmt::format("the key '{}' twice", key));
      if (!take(':')) refuse("a key without a colon");
      dict.items.push_back({.key = std::move(key), .value = parse_value(depth + 1)});
      comma = take(',');
    }
    return dict;
  }

  // 'x', and u'x' as Python 2 wrote it.
  bool is_at_string() {
    const char c = peek();
    if (c != 'u' && c != 'U') return is_quote(c);
    return at_ + 1 < text_.size() && is_quote(text_[at_ + 1]);
  }

  // REQUIRES: is_at_string().
  std::string parse_string() {
    if (!is_quote(text_[at_])) ++at_;
    const char quote = text_[at_++];
    std::string text;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\') {
        text += parse_escape();
      } else {
        text += text_[at_++];
      }
    }
    if (at_ == text_.size() || text_[at_] == '\n') refuse("a string without an end");
    ++at_;
    return text;
  }

  // Those that repr writes.
  std::string parse_escape() {
    const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (letter == '\\' || letter == 'n' || letter == 'r' || letter == 't') {
      at_ += 2;
      return std::string("\\") + letter;
    }
    if (is_quote(letter)) {
      at_ += 2;
      return {letter};
    }
    const std::size_t count = digits_after(letter);
    const std::string_view digits = text_.substr(std::min(at_ + 2, text_.size()), count);
    const char* const digits_end = digits.data() + digits.size();
    std::uint32_t code = 0;
    const bool is_whole = count > 0 && digits.size() == count &&
                          std::from_chars(digits.data(), digits_end, code, 16).ptr == digits_end;
    constexpr std::uint32_t last = 0x10FFFF;
    if (!is_whole || code > last) refuse("an escape in a string");
    at_ += 2 + count;
    return printed_or_escaped(code, count);
  }

  // 12, -3, and 12L as Python 2 wrote it.
  std::int64_t parse_integer() {
    const std::size_t begin = at_;
    if (text_[at_] == '-') ++at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    const std::string_view digits = text_.substr(begin, at_ - begin);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool leading_zero = digits.size() > 1 && digits[0] == '0';
    if (error != std::errc{} || end != digits.data() + digits.size() || leading_zero) {
      at_ = begin;
      refuse(fmt::format("the number '{}'", digits.substr(0, 40)));
    }
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;
    if (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '.'))
      refuse(fmt::format("'{}' in a number", text_[at_]));
    return value;
  }

  PythonValue parse_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "True") return {true};
    if (word == "False") return {false};
    at_ = begin;
    refuse(fmt::format("the word '{}'", word.substr(0, 40)));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool ends_with_comma_ = false;
};

}  // namespace

PythonValue parse_python_literal(std::string_view text) { return Parser(text).parse_all(); }

std::string python_repr(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const bool has_double = text.find('"') != std::string_view::npos;
  if (has_single && !has_double) return fmt::format("\"{}\"", text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

}  // namespace tscatter
