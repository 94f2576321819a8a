#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/text/json_parser.hpp"

namespace tscatter {
namespace {

struct Advice {
  std::string_view found;  // a word or a character
  std::string_view hint;
  std::string_view got = {};  // empty: what stands at the place
};

constexpr std::string_view nan_hint = "NaN is written \"NaN\"";
constexpr std::string_view infinity_hint = "infinity is written \"Infinity\"";
constexpr std::string_view minus_infinity_hint = "minus infinity is written \"-Infinity\"";
constexpr std::string_view table_hint =
    "rows of numbers are read from a file that ends in .csv, .tsv or .txt, or as csv:FILE or csv:-";
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

bool is_in_word(char c) {
  const char letter = lower(c);
  return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("+-._").find(c) != std::string_view::npos;
}

bool is_space(char c) { return std::string_view(" \t\r\n").find(c) != std::string_view::npos; }

// The text around the place where the parser stopped.
class PlaceInText {
 public:
  PlaceInText(const Source& text, std::int64_t at) {
    constexpr std::int64_t reach = 64;
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

bool is_wrong_number(std::string_view found, const JsonFault& fault) {
  return fault.token == JsonFault::Token::unknown && !found.empty() &&
         std::string_view("+-.0123456789").find(found[0]) != std::string_view::npos;
}

// Numbers one after another, as in a table of numbers.
bool is_list_of_numbers(std::string_view found, char before, const JsonFault& fault) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return fault.wanted == JsonFault::Wanted::text_end && is_digit(before) && !found.empty() &&
         (found[0] == ',' || found[0] == '-' || is_digit(found[0]));
}

// What stands there is a token, but not the one that is wanted.
Advice advice_on_unwanted(std::string_view found, JsonFault::Wanted wanted) {
  constexpr std::string_view comma = "a comma stands between values";
  switch (wanted) {
    case JsonFault::Wanted::value:
      return {found, is_in_word(found.front()) ? "a string stands in double quotes" : ""};
    case JsonFault::Wanted::key: return {found, "a key stands in double quotes"};
    case JsonFault::Wanted::colon: return {found, "a colon stands between key and value"};
    case JsonFault::Wanted::list_end: return {found, found == "}" ? "[ is closed by ]" : comma};
    case JsonFault::Wanted::object_end: return {found, found == "]" ? "{ is closed by }" : comma};
    case JsonFault::Wanted::text_end: return {found, "nothing follows the value"};
  }
  unreachable();
}

Advice advice_on_place(const PlaceInText& place, const JsonFault& fault) {
  const std::string_view found = place.found();
  if (found.empty()) return {found, "a bracket is not closed", "the end of the text"};
  if (is_list_of_numbers(found, place.before(), fault)) return {found, table_hint};
  if (fault.token == JsonFault::Token::unknown) {
    if (const Advice* row = find_word(found)) return *row;
    const auto row = std::ranges::find(characters, found, &Advice::found);
    if (row != characters.end()) return *row;
  }
  if (const auto comma = of_comma(found, place.before())) return *comma;
  if (is_wrong_number(found, fault)) return {found, number_hint};
  return advice_on_unwanted(found, fault.wanted);
}

Advice advice_on(const PlaceInText& place, const JsonFault& fault) {
  using Token = JsonFault::Token;
  switch (fault.token) {
    case Token::none:
    case Token::unknown: return advice_on_place(place, fault);
    case Token::nul: return {"", "", "a NUL byte"};
    case Token::too_long: return {"", "", "a token that is too long"};
    case Token::unclosed: return {"", "", "a string without its closing quote"};
    case Token::control: return {"", "", "a control character in a string, not escaped,"};
    case Token::not_utf8: return {"", "", "bytes that are not UTF-8"};
    case Token::escape:
      return {"", "", "a backslash before a character that it cannot stand before"};
    case Token::unicode_escape: return {"", "", "a wrong \\u escape"};
    case Token::surrogate: return {"", "", "half of a surrogate pair"};
  }
  unreachable();
}

std::string in_parentheses(std::string_view hint) {
  return hint.empty() ? std::string() : fmt::format(" ({})", hint);
}

}  // namespace

JsonMistake json_mistake(const Source& text, const JsonFault& fault) {
  const PlaceInText place(text, fault.offset);
  if (place.found().empty() && place.before() == '\0') return {.hint = {}, .got = "an empty text"};
  const Advice advice = advice_on(place, fault);
  const bool is_there = advice.got.empty();
  JsonPlace begin = fault.place;
  if (is_there) begin.column -= place.steps_back();
  return {.hint = in_parentheses(advice.hint),
          .got = fmt::format("{} at {}", is_there ? place.found() : advice.got, to_string(begin))};
}

std::string json_word_hint(std::string_view word) {
  const Advice* row = find_word(word);
  return row == nullptr ? std::string() : in_parentheses(row->hint);
}

}  // namespace tscatter
