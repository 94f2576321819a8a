#include "tscatter/core/characters.hpp"

#include <algorithm>

namespace tscatter {

// Table 3-7 of the Unicode Standard has these ranges: no overlong form, no surrogate, nothing
// beyond U+10FFFF.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i) {
    return i < text.size() && continues_character(text[i]);
  };
  if (text.empty()) return 0;
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

std::string_view take_character(std::string_view& text) {
  const std::string_view character = text.substr(0, std::max<std::size_t>(character_size(text), 1));
  text.remove_prefix(character.size());
  return character;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

bool is_plain_text(std::string_view text) {
  if (text.empty()) return false;
  while (!text.empty()) {
    const std::string_view character = take_character(text);
    const auto first = static_cast<unsigned char>(character[0]);
    const bool is_malformed = first >= 0x80 && character.size() == 1;
    if (is_malformed) return text.size() < 3 && std::ranges::all_of(text, continues_character);
    const bool is_blank = (first >= '\t' && first <= '\r') || first == 0x1B;
    if ((first < ' ' && !is_blank) || first == 0x7F) return false;
  }
  return true;
}

std::size_t character_count(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues_character));
}

char32_t code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  char32_t code = first & (0x7FU >> character.size());
  for (const char next : character.substr(1))
    code = code << 6U | (static_cast<unsigned char>(next) & 0x3FU);
  return code;
}

void append_character(std::string& text, char32_t code) {
  const auto tail = [&](unsigned shift) {
    text += static_cast<char>(0x80U | (code >> shift & 0x3FU));
  };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0U | code >> 6U);
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0U | code >> 12U);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0U | code >> 18U);
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace tscatter
