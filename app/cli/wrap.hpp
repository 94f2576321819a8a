// Breaks help into lines of a terminal's width, never inside a word.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tscatter::app {

// Continues each line that is too long below its own text: after the gap of two or more spaces that
// ends its first column, or at its indent. If that leaves too narrow a column, the text continues
// at the line's indent plus four.
std::string wrapped(std::string_view text, std::size_t width);

// A command line, indented by two spaces and broken between words with a \ for the shell.
std::string wrapped_command(std::string_view command, std::size_t width);

}  // namespace tscatter::app
