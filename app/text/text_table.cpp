#include "text/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tscatter::app {
namespace {

// Counts code points, which here are columns of the terminal.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& cell, std::size_t columns, Align align) {
  const std::string space(columns - width(cell), ' ');
  return align == Align::left ? cell + space : space + cell;
}

}  // namespace

std::string TextTable::text() const {
  std::vector<Align> columns = columns_;
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  columns.resize(widths.size(), Align::left);
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      line += padded(row[i], widths[i], columns[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string bar(std::int64_t count, std::int64_t most) {
  constexpr double width = 40;
  const double length = std::ceil(width * static_cast<double>(count) / static_cast<double>(most));
  std::string text(static_cast<std::size_t>(length), '#');
  return text;
}

}  // namespace tscatter::app
