// Characters that do not belong in a line of text.
#pragma once

#include <string_view>

#include "tscatter/core/error.hpp"

namespace tscatter::app {

// Whether messages escape this character, or this byte that begins none, as \x1b and so on.
inline bool is_control(std::string_view character) {
  return escape_control(character) != character;
}

}  // namespace tscatter::app
