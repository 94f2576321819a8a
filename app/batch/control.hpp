// Characters that do not belong in a line of text.
#pragma once

#include <string>
#include <string_view>

#include "tscatter/core/error.hpp"
#include "tscatter/core/utf8.hpp"

namespace tscatter::app {

// Whether messages escape this character, or this byte that begins none, as \x1b and so on.
inline bool is_control(std::string_view character) {
  return escape_control(character) != character;
}

// The name of a file, which may be any bytes, as UTF-8: escaped where it is not.
inline std::string as_text(std::string_view bytes) {
  return is_utf8(bytes) ? std::string(bytes) : escape_control(bytes);
}

}  // namespace tscatter::app
