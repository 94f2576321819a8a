#include "batch/shell_word.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "batch/control.hpp"
#include "tscatter/core/utf8.hpp"

namespace tscatter::app {
namespace {

bool is_plain(char character) {
  const bool is_letter = (character >= 'a' && character <= 'z') ||
                         (character >= 'A' && character <= 'Z') ||
                         (character >= '0' && character <= '9');
  return is_letter || std::string_view("_-+./:=,@%").find(character) != std::string_view::npos;
}

std::string single_quoted(std::string_view word) {
  std::string text = "'";
  for (const char character : word) {
    if (character == '\'') {
      text += "'\\''";
    } else {
      text += character;
    }
  }
  return text + "'";
}

// printf escapes what does not belong in a line. The shell drops line breaks at the end.
std::string printed(std::string_view word) {
  std::string format;
  while (!word.empty()) {
    const std::string_view character = take_character(word);
    if (is_control(character)) {
      for (const char byte : character)
        format += fmt::format("\\{:03o}", static_cast<unsigned char>(byte));
    } else {
      if (character == "%" || character == "\\") format += character;
      format += character;
    }
  }
  return "\"$(printf " + single_quoted(format) + ")\"";
}

}  // namespace

std::string shell_word(std::string_view word) {
  if (is_control(word)) return printed(word);
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  return single_quoted(word);
}

}  // namespace tscatter::app
