#include <algorithm>
#include <span>
#include <vector>

#include "cli/help_text.hpp"

namespace tscatter::app {
namespace {

constexpr std::size_t narrowest = 24;  // a column with less is not filled

// The layout of a line: the words' indent, and what precedes a line break.
struct Layout {
  std::size_t indent = 0;        // of the lines after the first
  std::string_view before = {};  // a line's break
  std::string line = {};         // the unfinished line
};

std::string filled(Layout layout, std::span<const std::string_view> words, std::size_t width) {
  std::string text;
  bool is_begun = layout.line.size() > layout.line.find_last_not_of(' ') + 1 || layout.line.empty();
  for (const std::string_view word : words) {
    const bool is_last = word.data() == words.back().data();
    const std::size_t needed =
        word.size() + (is_begun ? 0 : 1) + (is_last ? 0 : layout.before.size());
    const bool fits = layout.line.size() + needed <= width;
    if (!fits && layout.line.size() > layout.indent) {
      text += layout.line.substr(0, layout.line.find_last_not_of(' ') + 1);
      text.append(layout.before).append("\n");
      layout.line.assign(layout.indent, ' ');
      is_begun = true;
    }
    if (!is_begun) layout.line += ' ';
    layout.line += word;
    is_begun = false;
  }
  return text + layout.line + "\n";
}

std::vector<std::string_view> words_between(std::string_view text, std::size_t begin) {
  std::vector<std::string_view> words;
  while ((begin = text.find_first_not_of(' ', begin)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

// Where the text after the first column begins; the line's indent if it has no columns.
std::size_t text_column(std::string_view line, std::size_t indent) {
  const std::size_t gap = line.find("  ", indent);
  return gap == std::string_view::npos ? indent : line.find_first_not_of(' ', gap);
}

std::string wrapped_line(std::string_view line, std::size_t width) {
  if (line.size() <= width) return std::string(line) + "\n";
  constexpr std::size_t further = 4;
  const std::size_t indent = line.find_first_not_of(' ');
  const std::size_t column = text_column(line, indent);
  const bool is_narrow = column + narrowest > width;
  const Layout layout{.indent = is_narrow ? indent + further : column,
                      .line = std::string(line.substr(0, column))};
  return filled(layout, words_between(line, column), width);
}

// Splits as a shell does; quoted words keep their quotes and spaces.
std::vector<std::string_view> shell_words(std::string_view command) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i <= command.size(); ++i) {
    if (i < command.size() && command[i] == '\'') is_quoted = !is_quoted;
    if (i < command.size() && (is_quoted || command[i] != ' ')) continue;
    words.push_back(command.substr(begin, i - begin));
    begin = i + 1;
  }
  return words;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += wrapped_line(text.substr(0, end), width);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string wrapped_command(std::string_view command, std::size_t width) {
  return filled({.indent = 6, .before = " \\", .line = "  "}, shell_words(command), width);
}

}  // namespace tscatter::app
