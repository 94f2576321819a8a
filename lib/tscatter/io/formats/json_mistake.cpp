#include "tscatter/io/formats/json_mistake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

#include "tscatter/core/ascii.hpp"
#include "tscatter/core/utf8.hpp"
#include "tscatter/io/formats/json_text_buffer.hpp"

namespace tscatter {
namespace {

struct Advice {
  std::string_view found;  // a word, a character, or a part of the parser's message
  std::string_view hint;
  std::string_view got = {};  // empty: what stands at the place
};

constexpr std::string_view nan_hint = "NaN is written \"NaN\"";
constexpr std::string_view infinity_hint = "infinity is written \"Infinity\"";
constexpr std::string_view minus_infinity_hint = "minus infinity is written \"-Infinity\"";
constexpr std::string_view table_hint =
    "rows of numbers are read from a file that ends in .csv, .tsv or .txt";
constexpr std::string_view number_hint = "a number is written like 10, 0.5 or -2e3";

// Words that are no values, without regard to case.
constexpr std::array words{
    Advice{"nan", nan_hint},
    Advice{"+nan", nan_hint},
    Advice{"-nan", nan_hint},
    Advice{"null", nan_hint},
    Advice{"none", nan_hint},
    Advice{"inf", infinity_hint},
    Advice{"+inf", infinity_hint},
    Advice{"infinity", infinity_hint},
    Advice{"+infinity", infinity_hint},
    Advice{"-inf", minus_infinity_hint},
    Advice{"-infinity", minus_infinity_hint},
    Advice{"true", "it is written true"},
    Advice{"false", "it is written false"},
    Advice{"...", "the values of a shortened print are missing"},
};

// Characters that begin no value.
constexpr std::array characters{
    Advice{"'", "strings and keys stand in double quotes"},
    Advice{"(", "a list is written [1, 2]"},
    Advice{")", "a list is written [1, 2]"},
    Advice{"/", "JSON has no comments"},
    Advice{"#", "JSON has no comments"},
    Advice{";", "a comma stands between values"},
    Advice{"=", "a colon stands between key and value"},
};

// The first that the parser's message contains.
constexpr std::array reasons{
    Advice{"missing closing quote", "", "a string without its closing quote"},
    Advice{"must be escaped", "", "a control character in a string, not escaped,"},
    Advice{"ill-formed UTF-8", "", "bytes that are not UTF-8"},
    Advice{"after backslash", "", "a backslash before a character that it cannot stand before"},
    Advice{"'\\u'", "", "a wrong \\u escape"},
    Advice{"surrogate", "", "half of a surrogate pair"},
    Advice{"unexpected end of input", "a bracket is not closed", "the end of the text"},
    Advice{"expected end of input", "nothing follows the value"},
    Advice{"unexpected ']'; expected '}'", "{ is closed by }"},
    Advice{"unexpected '}'; expected ']'", "[ is closed by ]"},
    Advice{"object separator", "a colon stands between key and value"},
    Advice{"expected ']'", "a comma stands between values"},
    Advice{"expected '}'", "a comma stands between values"},
    Advice{"object key", "a key stands in double quotes"},
};

bool is_in_word(char c) {
  const char letter = lower(c);
  return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("+-._").find(c) != std::string_view::npos;
}

bool is_space(char c) { return std::string_view(" \t\r\n").find(c) != std::string_view::npos; }

// The text around the place where the parser stopped.
class PlaceInText {
 public:
  PlaceInText(const Source& text, std::size_t position) {
    constexpr std::int64_t reach = 64;
    const std::int64_t read = std::max<std::int64_t>(static_cast<std::int64_t>(position), 1);
    const std::int64_t at = std::min(read - 1, text.size());
    const std::int64_t first = std::max<std::int64_t>(at - reach, 0);
    window_.resize(static_cast<std::size_t>(std::min(at + reach, text.size()) - first));
    text.read(first, std::as_writable_bytes(std::span(window_)));
    at_ = static_cast<std::size_t>(at - first);
    begin_ = at_;
    while (begin_ > 0 && at_ < window_.size() && is_in_word(window_[at_]) &&
           is_in_word(window_[begin_ - 1])) {
      --begin_;
    }
  }

  // The word or the character there; empty at the end of the text.
  std::string_view found() const {
    std::string_view rest = std::string_view(window_).substr(begin_);
    const auto end = std::ranges::find_if_not(rest, is_in_word);
    if (end != rest.begin()) return rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    return rest.empty() ? rest : take_character(rest);
  }

  // The last character before it that is not a space; NUL if there is none.
  char before() const {
    const auto end = window_.rend() - static_cast<std::ptrdiff_t>(begin_);
    const auto last = std::find_if_not(end, window_.rend(), is_space);
    return last == window_.rend() ? '\0' : *last;
  }

  std::int64_t steps_back() const { return static_cast<std::int64_t>(at_ - begin_); }

  // From 1, if the line begins nearby.
  std::int64_t column() const {
    return static_cast<std::int64_t>(begin_ - (window_.rfind('\n', begin_) + 1)) + 1;
  }

 private:
  std::string window_;
  std::size_t at_ = 0;     // where the parser stopped
  std::size_t begin_ = 0;  // where the word begins
};

const Advice* find_word(std::string_view word) {
  const auto row = std::ranges::find_if(
      words, [&](const Advice& each) { return equal_ignoring_case(each.found, word); });
  return row == words.end() ? nullptr : &*row;
}

std::optional<Advice> of_comma(std::string_view found, char before) {
  constexpr std::string_view missing = "a value is missing";
  const bool is_end = found == "]" || found == "}";
  if (is_end && before == ',') return Advice{found, "no comma follows the last value"};
  if (found == "," && std::string_view(",[{:").find(before) != std::string_view::npos)
    return Advice{found, missing};
  if (is_end && before == ':') return Advice{found, missing};
  return std::nullopt;
}

bool is_wrong_number(std::string_view found, std::string_view message) {
  if (found.empty() || std::string_view("+-.0123456789").find(found[0]) == std::string_view::npos)
    return false;
  const bool has_leading_zero = found.size() > 1 && found[0] == '0' && found[1] != '.';
  return has_leading_zero || message.find("invalid") != std::string_view::npos;
}

// Numbers one after another, as in a table of numbers.
bool is_list_of_numbers(std::string_view found, char before, std::string_view message) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return is_digit(before) && !found.empty() &&
         (found[0] == ',' || found[0] == '-' || is_digit(found[0])) &&
         message.find("; expected end of input") != std::string_view::npos;
}

Advice advice_on(const PlaceInText& place, std::string_view message) {
  const std::string_view found = place.found();
  if (is_list_of_numbers(found, place.before(), message)) return {found, table_hint};
  if (message.find("invalid literal") != std::string_view::npos ||
      message.find("invalid number") != std::string_view::npos) {
    if (const Advice* row = find_word(found)) return *row;
    const auto row = std::ranges::find(characters, found, &Advice::found);
    if (row != characters.end()) return *row;
  }
  if (const auto comma = of_comma(found, place.before())) return *comma;
  if (is_wrong_number(found, message)) return {found, number_hint};
  const auto row = std::ranges::find_if(reasons, [&](const Advice& each) {
    return message.find(each.found) != std::string_view::npos;
  });
  if (row != reasons.end()) return *row;
  const bool is_word = !found.empty() && is_in_word(found.front());
  return {found, is_word ? "a string stands in double quotes" : ""};
}

// The number that follows `name` in the parser's message; 0 if it is not there.
std::int64_t number_after(std::string_view name, std::string_view message) {
  std::int64_t number = 0;
  const std::size_t at = message.find(name);
  if (at == std::string_view::npos) return 0;
  message.remove_prefix(at + name.size());
  std::from_chars(message.data(), message.data() + message.size(), number);
  return number;
}

std::string in_parentheses(std::string_view hint) {
  return hint.empty() ? std::string() : fmt::format(" ({})", hint);
}

}  // namespace

JsonMistake json_mistake(const Source& text, std::size_t position, std::string_view message) {
  const PlaceInText place(text, position);
  if (place.found().empty() && place.before() == '\0') return {.hint = {}, .got = "an empty text"};
  const Advice advice = advice_on(place, message);
  const std::int64_t back = advice.got.empty() ? place.steps_back() : 0;
  const std::int64_t column = number_after("column ", message);
  // The parser loses the column of a number at the end of its line.
  const JsonPlace begin{.line = number_after("line ", message),
                        .column = column > back ? column - back : place.column()};
  return {.hint = in_parentheses(advice.hint),
          .got = fmt::format("{} at {}", advice.got.empty() ? place.found() : advice.got,
                             to_string(begin))};
}

std::string json_word_hint(std::string_view word) {
  const Advice* row = find_word(word);
  return row == nullptr ? std::string() : in_parentheses(row->hint);
}

}  // namespace tscatter
