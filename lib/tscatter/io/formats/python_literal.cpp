#include "tscatter/io/formats/python_literal.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "tscatter/core/error.hpp"

namespace tscatter {
namespace {

constexpr int max_depth = 32;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

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
    if (c == '\'' || c == '"') return {PythonString{parse_string()}};
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
      if (peek() != '\'' && peek() != '"') refuse("a key that is no string");
      std::string key = parse_string();
      if (!keys.insert(key).second) refuse(fmt::format("the key '{}' twice", key));
      if (!take(':')) refuse("a key without a colon");
      dict.items.push_back({.key = std::move(key), .value = parse_value(depth + 1)});
      comma = take(',');
    }
    return dict;
  }

  std::string parse_string() {
    const char quote = text_[at_++];
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\') refuse("an escape in a string");
      if (text_[at_] == '\n') refuse("a string without an end");
      ++at_;
    }
    if (at_ == text_.size()) refuse("a string without an end");
    return std::string(text_.substr(begin, at_++ - begin));
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
  const char quote = text.find('\'') == std::string_view::npos ? '\'' : '"';
  return fmt::format("{0}{1}{0}", quote, text);
}

}  // namespace tscatter
