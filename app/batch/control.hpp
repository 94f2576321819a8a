// Characters that have no place in a line of text.
#pragma once

#include <string_view>

#include "tscatter/core/error.hpp"

namespace tscatter::app {

// Of one character, or one byte that begins none: what messages write as \x1b and the like.
inline bool is_control(std::string_view character) {
  return escape_control(character) != character;
}

}  // namespace tscatter::app
