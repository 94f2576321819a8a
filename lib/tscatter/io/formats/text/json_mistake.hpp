// What is wrong with a text that is not JSON, in words.
#pragma once

#include <string>
#include <string_view>

#include "tscatter/core/bytes.hpp"
#include "tscatter/io/formats/text/json_parser.hpp"

namespace tscatter {

struct JsonMistake {
  std::string hint;  // " (NaN is written \"NaN\")", or nothing
  std::string got;   // "NaN at column 5"
};

// REQUIRES: the fault is of this text, and no token that is too long.
JsonMistake json_mistake(const Source& text, const JsonFault& fault);

// What to write for a value that JSON does not have: " (NaN is written \"NaN\")" for nan; "" for
// others.
std::string json_word_hint(std::string_view word);

}  // namespace tscatter
