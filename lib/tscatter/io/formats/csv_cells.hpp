// Cuts a text into lines and cells. A line may be of any length: only the cell that is read is
// held. Not part of the installed interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tscatter/io/formats/text_window.hpp"

namespace tscatter {

// What stands between the cells of a line.
enum class Separator : std::uint8_t {
  comma,  // or a semicolon, if the first line has one before any comma
  tab,
  blanks,  // one or more
};

class CsvCells {
 public:
  // REQUIRES: text and reading outlive it.
  CsvCells(const Source& text, Separator separator, const FormatReading& reading);

  // Goes to the next line that has cells, past empty lines and comments. Returns false at the end.
  bool next_line();

  // The next cell of the line, without the blanks and quotes around it; nullopt after the last.
  // Valid until the next call. Throws Error (csv.f1).
  std::optional<std::string_view> next_cell();

  bool follows_empty_line() const { return follows_empty_line_; }  // the line, directly or not
  std::int64_t column() const { return column_; }                  // of the last cell, from 1

  std::string line_place() const;  // "ids.csv:17"
  std::string cell_place() const;  // "ids.csv:17, column 2"

 private:
  void pass_blanks();
  void pass_line();
  bool take_line_end();
  bool ends_cell(char c) const;
  std::string_view bare_cell(std::string_view text);
  std::string_view quoted_cell(std::string_view text);
  void end_cell(std::string_view text, std::size_t at);
  void require_short(std::size_t bytes) const;
  [[noreturn]] void refuse_quotes(std::string_view text) const;

  const FormatReading& reading_;
  TextWindow window_;
  Separator separator_;
  std::string_view blanks_;  // that may stand around a cell
  char mark_;                // between two cells; NUL: not known yet
  std::int64_t line_ = 0;
  std::int64_t column_ = 0;
  bool is_line_over_ = true;
  bool follows_empty_line_ = false;
};

}  // namespace tscatter
