#include "batch/utf8.hpp"

#include <algorithm>

#include "tscatter/core/error.hpp"

namespace tscatter::app {

std::size_t character_size(std::string_view text) {
  constexpr std::size_t longest = 4;
  for (std::size_t size = 1; size <= std::min(longest, text.size()); ++size) {
    if (is_utf8(text.substr(0, size))) return size;
  }
  return 0;
}

std::string_view take_character(std::string_view& text) {
  const std::string_view character = text.substr(0, std::max<std::size_t>(character_size(text), 1));
  text.remove_prefix(character.size());
  return character;
}

}  // namespace tscatter::app
