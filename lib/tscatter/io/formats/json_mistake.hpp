// What is wrong with a text that is not JSON, in our words rather than the parser's. Not part of
// the installed interface.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tscatter/core/bytes.hpp"

namespace tscatter {

struct JsonMistake {
  std::string hint;  // " (NaN is written \"NaN\")", or nothing
  std::string got;   // "NaN at column 5"
};

// `position`: how many bytes the parser read; `message`: what it says (nlohmann's parse_error).
JsonMistake json_mistake(const Source& text, std::size_t position, std::string_view message);

// What to write for a value that JSON does not have: " (NaN is written \"NaN\")" for nan; "" for
// others.
std::string json_word_hint(std::string_view word);

}  // namespace tscatter
