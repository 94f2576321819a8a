#include "tscatter/core/error.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

// What a terminal would obey rather than show: controls, line ends, changes of direction.
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

// The beginning and the end of a text that is too long for a message.
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
    const bool is_character = character_size(text) > 0;
    const std::string_view character = take_character(text);
    if (is_character && !is_control(code_point(character))) {
      out += character;
    } else {
      for (const char byte : character) out += escaped(static_cast<unsigned char>(byte));
    }
  }
  return out;
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
