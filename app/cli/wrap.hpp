// Breaks help into lines of a terminal's width, never inside a word.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tscatter::app {

// Each line of `text` that is too long goes on below its own text: behind the gap of two or more
// spaces that ends its first column, or its indent. Columns that would become too narrow go on at
// the indent of the line and four more.
std::string wrapped(std::string_view text, std::size_t width);

// A command line, indented by two, broken between its words with a \ that a shell understands.
std::string wrapped_command(std::string_view command, std::size_t width);

}  // namespace tscatter::app
