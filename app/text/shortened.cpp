#include "text/shortened.hpp"

#include "tscatter/core/utf8.hpp"

namespace tscatter::app {

std::string shortened(std::string_view text, std::size_t most) {
  constexpr std::string_view end = "...";
  std::string kept;
  std::size_t characters = 0;
  for (std::string_view rest = text; !rest.empty(); ++characters) {
    if (characters == most) return kept.append(end);
    const std::string_view character = take_character(rest);
    if (characters < most - end.size()) kept += character;
  }
  return std::string(text);
}

}  // namespace tscatter::app
