// Cuts a text into lines and cells. Only the cell that is read is held.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tscatter/io/formats/text/text_window.hpp"

namespace tscatter {

// What stands between the cells of a line.
enum class Separator : std::uint8_t {
  comma,  // or a semicolon, if the first line has one before any comma
  tab,
  blanks,  // one or more
};

class CsvCells {
 public:
  // `more`: of a text that is still coming. REQUIRES: text and reading outlive it.
  CsvCells(const Source& text, Separator separator, const FormatReading& reading,
           MoreText more = {});

  // Goes to the next line that has cells, past empty lines and comments. Returns false at the end.
  // Throws Error (csv.f1 and csv.f8).
  bool next_line();

  // The next cell of the line, without the blanks and quotes around it; nullopt after the last.
  // Valid until the next call. Throws Error (csv.f1 and csv.f8).
  std::optional<std::string_view> next_cell();

  // The same cell where it may be any text: cut to longest_cell + 1 bytes, and "" in quotes is ".
  // It may be longer, have line breaks in quotes, and # in it (in a table between blanks it has
  // none of these but the quotes). Valid until the next call. Throws Error (csv.f1 and csv.f8).
  std::optional<std::string_view> next_text();

  // Passes such a cell over; false after the last.
  bool skip_cell() { return pass_cell(Kept::nothing); }

  static constexpr std::size_t longest_cell = 4096;  // bytes of a cell that is read

  // Between this line and the one with cells before it.
  std::int64_t empty_lines() const { return empty_lines_; }
  std::int64_t column() const { return column_; }  // of the last cell, from 1

  std::string line_place() const;  // "ids.csv:17"
  std::string cell_place() const;  // "ids.csv:17, column 2"

 private:
  enum class Kept : bool { nothing, text };

  bool begin_cell();
  bool pass_cell(Kept kept);
  void pass_bare(Kept kept);
  void pass_quoted(Kept kept);
  void pass_text(std::string_view text, Kept kept);
  void keep(std::string_view text, Kept kept);
  bool end_quoted(std::string_view text, std::size_t after);
  void pass_blanks();
  void pass_line();
  bool take_line_end();
  void set_mark(char mark);
  char comma_or_semicolon(std::string_view text) const;
  std::size_t error_word_size(std::string_view text) const;
  bool begins_comment(std::string_view text, std::size_t at = 0) const;
  std::size_t bare_cell_end(std::string_view text) const;
  std::string_view bare_cell(std::string_view text);
  std::string_view quoted_cell(std::string_view text);
  void end_cell(std::string_view text, std::size_t at);
  void require_short_cell(std::size_t bytes) const;
  void require_short_line() const;
  [[noreturn]] void refuse_nul(const std::string& place) const;
  [[noreturn]] void refuse_quotes(std::string_view text) const;
  [[noreturn]] void refuse_open_quote(std::string_view text) const;

  const FormatReading& reading_;
  TextWindow window_;
  Separator separator_;
  std::string_view blanks_;  // that may stand around a cell
  char mark_ = '\0';         // between two cells; NUL: not known yet
  std::array<bool, 256> may_end_cell_{};
  std::int64_t line_ = 0;
  std::int64_t line_begin_ = 0;  // with what is passed over before it
  std::int64_t column_ = 0;
  std::int64_t empty_lines_ = 0;
  bool has_lines_ = false;  // with cells
  bool is_line_over_ = true;
  bool has_comment_ = false;  // that ends the line, and is not passed yet
  std::string text_;          // of next_text()
};

}  // namespace tscatter
