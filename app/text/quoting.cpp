#include "text/quoting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {
namespace {

// The next character of a pattern; \x means x.
std::string_view take_literal(std::string_view& pattern) {
  if (pattern.size() > 1 && pattern[0] == '\\') pattern.remove_prefix(1);
  return take_character(pattern);
}

// The position of the ] that ends the set at the beginning of `pattern`; npos if there is none.
std::size_t end_of_set(std::string_view pattern) {
  std::size_t at = pattern.size() > 1 && pattern[1] == '!' ? 2 : 1;
  for (bool is_first = true; at < pattern.size(); ++at, is_first = false) {
    if (pattern[at] == '\\') {
      ++at;
    } else if (pattern[at] == ']' && !is_first) {
      return at;
    }
  }
  return std::string_view::npos;
}

// UTF-8 orders as its code points do, so characters compare as text.
bool is_in_set(std::string_view set, std::string_view character) {
  const bool is_negated = set.starts_with('!');
  if (is_negated) set.remove_prefix(1);
  bool is_found = false;
  while (!set.empty()) {
    const std::string_view low = take_literal(set);
    std::string_view high = low;
    if (set.size() > 1 && set[0] == '-') {
      set.remove_prefix(1);
      high = take_literal(set);
    }
    is_found = is_found || (low <= character && character <= high);
  }
  return is_found != is_negated;
}

// Whether the first part of the pattern, not a *, matches the first character of the name. Takes
// both.
bool take_match(std::string_view& pattern, std::string_view& name) {
  if (pattern[0] == '?') {
    pattern.remove_prefix(1);
    take_character(name);
    return true;
  }
  const std::size_t end = pattern[0] == '[' ? end_of_set(pattern) : std::string_view::npos;
  if (end == std::string_view::npos) return take_literal(pattern) == take_character(name);
  const std::string_view set = pattern.substr(1, end - 1);
  pattern.remove_prefix(end + 1);
  return is_in_set(set, take_character(name));
}

bool is_plain(char character) {
  const bool is_letter = (character >= 'a' && character <= 'z') ||
                         (character >= 'A' && character <= 'Z') ||
                         (character >= '0' && character <= '9');
  return is_letter || std::string_view("_-+./:=,@%").find(character) != std::string_view::npos;
}

std::string single_quoted(std::string_view word) {
  std::string text = "'";
  for (const char character : word) {
    if (character == '\'') {
      text += "'\\''";
    } else {
      text += character;
    }
  }
  return text + "'";
}

// printf escapes what does not belong in a line. The shell drops line breaks at the end.
std::string printed(std::string_view word) {
  std::string format;
  while (!word.empty()) {
    const std::string_view character = take_character(word);
    if (is_control(character)) {
      for (const char byte : character)
        format += fmt::format("\\{:03o}", static_cast<unsigned char>(byte));
    } else {
      if (character == "%" || character == "\\") format += character;
      format += character;
    }
  }
  return "\"$(printf " + single_quoted(format) + ")\"";
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view name) {
  std::string_view after_star;   // the pattern after the last *
  std::string_view star_begins;  // the part of the name that the * has not taken yet
  bool has_star = false;
  while (!name.empty() || !pattern.empty()) {
    if (!pattern.empty() && pattern[0] == '*') {
      pattern.remove_prefix(1);
      after_star = pattern;
      star_begins = name;
      has_star = true;
      continue;
    }
    if (!pattern.empty() && !name.empty() && take_match(pattern, name)) continue;
    if (!has_star || star_begins.empty()) return false;
    take_character(star_begins);  // the * takes one more
    pattern = after_star;
    name = star_begins;
  }
  return true;
}

std::string escaped_glob(std::string_view name) {
  std::string pattern;
  while (!name.empty()) {
    const std::string_view character = take_character(name);
    if (is_control(character)) {
      pattern += '?';
      continue;
    }
    // A leading - would look like a flag.
    const bool is_flag = character == "-" && pattern.empty();
    if (is_flag || std::string_view("*?[]\\").find(character) != std::string_view::npos)
      pattern += '\\';
    pattern += character;
  }
  return pattern;
}

std::string shell_word(std::string_view word) {
  if (is_control(word)) return printed(word);
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  return single_quoted(word);
}

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

std::string escaped(std::string_view character, XmlPlace place) {
  if (character == "&") return "&amp;";
  if (character == "<") return "&lt;";
  if (character == ">") return "&gt;";
  if (character == "\"") return "&quot;";
  const auto byte = static_cast<unsigned char>(character[0]);
  if (place == XmlPlace::element && byte == '\n') return "\n";
  if (byte == '\n' || byte == '\t' || byte == '\r') return fmt::format("&#{};", byte);
  const bool is_noncharacter = character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf";
  if (byte < ' ' || is_noncharacter) return std::string(replacement);
  return escape_control(character);
}

// Whether GitHub Actions would take the character, after `xml`, for a part of a command: a colon
// that begins a line, also after blanks and what is not ASCII, or the end of ##[.
bool makes_command(const std::string& xml, std::string_view character) {
  if (character == "[") return xml.ends_with("##");
  if (character != ":") return false;
  const auto is_passed_over = [](char c) {
    return c == ' ' || static_cast<unsigned char>(c) >= 0x80;
  };
  const auto before = std::find_if_not(xml.rbegin(), xml.rend(), is_passed_over);
  return before != xml.rend() && *before == '\n';
}

}  // namespace

std::string xml_text(std::string_view text, XmlPlace place, std::size_t most) {
  std::string xml;
  while (!text.empty()) {
    const bool is_character = character_size(text) > 0;
    const std::string_view character = take_character(text);
    std::string more = is_character ? escaped(character, place) : std::string(replacement);
    if (makes_command(xml, character)) more = fmt::format("&#{};", int{character[0]});
    if (xml.size() + more.size() > most) return xml + "…";
    xml += more;
  }
  return xml;
}

}  // namespace tscatter::app
