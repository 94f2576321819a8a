#include "tscatter/core/error.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

// Length of the well-formed UTF-8 sequence at the front of `text`, 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i) {
    return i < text.size() && (byte(i) & 0xC0U) == 0x80U;
  };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first < 0xF0) {
    if (!continues(1) || !continues(2)) return 0;
    if (first == 0xE0 && byte(1) < 0xA0) return 0;
    if (first == 0xED && byte(1) >= 0xA0) return 0;
    return 3;
  }
  if (first >= 0xF0 && first < 0xF5) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (first == 0xF0 && byte(1) < 0x90) return 0;
    if (first == 0xF4 && byte(1) >= 0x90) return 0;
    return 4;
  }
  return 0;
}

// REQUIRES: `character` is one of well-formed UTF-8.
char32_t code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  char32_t code = first & (0x7FU >> character.size());
  for (const char next : character.substr(1))
    code = code << 6U | (static_cast<unsigned char>(next) & 0x3FU);
  return code;
}

// What a terminal obeys instead of showing it: controls, line ends, changes of direction.
bool is_control(char32_t code) {
  constexpr std::array<std::pair<char32_t, char32_t>, 6> ranges{{{0, 0x1F},
                                                                 {0x7F, 0x9F},
                                                                 {0x61C, 0x61C},
                                                                 {0x200E, 0x200F},
                                                                 {0x2028, 0x202E},
                                                                 {0x2066, 0x2069}}};
  return std::ranges::any_of(
      ranges, [&](auto range) { return code >= range.first && code <= range.second; });
}

std::string escaped(unsigned char byte) {
  if (byte == '\n') return "\\n";
  if (byte == '\t') return "\\t";
  if (byte == '\r') return "\\r";
  constexpr std::string_view digits = "0123456789abcdef";
  return {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
}

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// The first place from `at` on where escaped text can be cut: between characters, and not in \x1b.
// REQUIRES: at < text.size().
std::size_t place_to_cut(std::string_view text, std::size_t at) {
  constexpr std::size_t longest_escape = 4;
  const std::size_t slash = text.rfind('\\', at - 1);
  const bool has_slash = slash != std::string_view::npos && at - slash < longest_escape;
  if (has_slash) {
    const std::size_t length = text.substr(slash, 2) == "\\x" ? longest_escape : 2;
    at = std::max(at, slash + length);
  }
  while (at < text.size() && continues_character(text[at])) ++at;
  return std::min(at, text.size());
}

// Front and end of what is longer than a message may be.
std::string shortened(std::string text) {
  constexpr std::size_t longest = 4096;
  constexpr std::size_t margin = 4;  // what place_to_cut() may go on
  constexpr std::string_view left_out = "\u2026";
  if (text.size() <= longest) return text;
  constexpr std::size_t kept = (longest - left_out.size()) / 2;
  const std::size_t front = place_to_cut(text, kept - margin);
  const std::size_t end = place_to_cut(text, text.size() - kept);
  return text.substr(0, front).append(left_out).append(text, end);
}

}  // namespace

std::string_view to_string(ErrorKind kind) {
  constexpr std::array<std::string_view, 5> names{"usage", "file", "format", "rule", "internal"};
  return names[static_cast<std::size_t>(kind)];
}

std::string escape_control(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length > 0 && !is_control(code_point(character))) {
      out += character;
    } else {
      for (const char byte : character) out += escaped(static_cast<unsigned char>(byte));
    }
    text.remove_prefix(character.size());
  }
  return out;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

Error::Error(ErrorKind kind, std::string_view label, std::string_view where,
             std::string_view message)
    : kind_{kind},
      label_{label},
      where_{shortened(escape_control(where))},
      message_{shortened(escape_control(message))},
      text_{where_ + ": " + message_ + " [" + label_ + "]"} {}

void fail_formatted(ErrorKind kind, std::string_view label, std::string_view where,
                    fmt::string_view format, fmt::format_args args) {
  throw Error(kind, label, where, fmt::vformat(format, args));
}

}  // namespace tscatter
