// Text, character by character: UTF-8, and ASCII without regard to locale.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace tscatter {

// ---- UTF-8 text, character by character.

// How many bytes the well-formed character at the front of `text` takes; 0 if there is none.
std::size_t character_size(std::string_view text);

// Cuts off the first character, or one byte if it is not well-formed.
// REQUIRES: !text.empty().
std::string_view take_character(std::string_view& text);

// Whether `text` is well-formed.
bool is_utf8(std::string_view text);

// Whether `text` is what an editor shows: well-formed, not empty, and without control characters
// other than blanks and escapes. Its last character may be cut.
bool is_plain_text(std::string_view text);

// Whether the byte continues a character.
constexpr bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// How many characters begin in `text`: roughly the columns that it takes on a terminal.
std::size_t character_count(std::string_view text);

// REQUIRES: `character` is one well-formed character.
char32_t code_point(std::string_view character);

// REQUIRES: `code` is below 0x110000.
void append_character(std::string& text, char32_t code);

// ---- Characters without regard to locale; letters without regard to case.

// Of a byte, or of what stands for the end (-1), which is neither.
constexpr bool is_digit(int c) { return c >= '0' && c <= '9'; }
constexpr bool is_blank(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Without blanks at its ends.
constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

constexpr bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         equal_ignoring_case(text.substr(text.size() - end.size()), end);
}

}  // namespace tscatter
