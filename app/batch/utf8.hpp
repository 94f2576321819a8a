// The characters of UTF-8 text.
#pragma once

#include <cstddef>
#include <string_view>

namespace tscatter::app {

// How many bytes the well-formed character at the front of `text` takes; 0 where there is none.
std::size_t character_size(std::string_view text);

// Cuts the character at the front off: one byte where it is not well-formed. REQUIRES:
// !text.empty()
std::string_view take_character(std::string_view& text);

}  // namespace tscatter::app
