// UTF-8 text, character by character.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tscatter {

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

}  // namespace tscatter
