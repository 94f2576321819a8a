// Characters that have no place in a line of text.
#pragma once

namespace tscatter::app {

constexpr bool is_control(char character) {
  return static_cast<unsigned char>(character) < ' ' || character == '\x7f';
}

}  // namespace tscatter::app
