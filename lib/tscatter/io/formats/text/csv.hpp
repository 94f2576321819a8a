// Tables of numbers as text: lines and cells, what a cell says, which columns are read, and
// tensors. Form and rules: docs/formats.md, csv.*
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/formats/text/element_value.hpp"
#include "tscatter/io/formats/text/text_window.hpp"

namespace tscatter {

// ---- Cuts a text into lines and cells. Only the cell that is read is held.

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

// ---- What a cell of a table of numbers says: a number, a missing value, a name of a header, an
// error of a spreadsheet.

// 5, -1.5e3, nan, inf, and what Visual C++ writes for the last two: 1.#QNAN, -nan(ind), -1.#INF.
std::optional<ElementValue> number_in_cell(std::string_view cell);

// true and false, without regard to case, as pandas and spreadsheets write them.
std::optional<bool> truth_in_cell(std::string_view cell);

// An empty cell, NA, null, None: pandas' words, without regard to case. (nan is a number.)
bool is_missing(std::string_view cell);

// Whether it can be a name in a header: it begins with a letter or _, and is no value that
// programs write into tables (NA, true, nan(1), e5).
bool is_name(std::string_view cell);

// Whether a spreadsheet writes it for a cell that it cannot compute: #NV, #DIV/0!, ####.
bool is_error_word(std::string_view word, Separator separator);

// What to do about a cell that is no number; "" where nothing is known.
std::string_view hint_on_cell(std::string_view cell, Separator separator);

// A cell as messages show it.
std::string shown_cell(std::string_view cell);

// ---- Which columns of a table are read: x.csv:id, x.csv:row,col, x.csv:2-4. Rules:
// docs/formats.md, csv.f9 and csv.f10.

struct PlacedCell {
  std::string place;
  std::string text;
};

// The cells of a first line, or some of them: whether they are a header, and which of them is out
// of place.
class FirstLine {
 public:
  void add(std::string_view cell, const CsvCells& cells, bool is_value);

  bool is_header() const { return has_names_ && !has_others_; }
  bool has_names() const { return has_names_; }
  const std::string& header() const { return header_; }
  // What is no number in a line that is no header.
  const std::optional<PlacedCell>& odd_cell() const { return no_name_ ? no_name_ : name_; }

 private:
  void append_name(std::string_view cell, std::int64_t column);

  std::string header_;
  bool has_names_ = false;
  bool has_others_ = false;
  std::optional<PlacedCell> no_name_;  // the first one that could not stand in a header
  std::optional<PlacedCell> name_;
};

struct ColumnPick {
  std::int64_t column;  // of the file, from 1
  std::size_t place;    // in the rows that are read
};

struct ChosenColumns {
  std::vector<ColumnPick> picks;  // in the order of the file
  std::string header;             // the names of the columns, as messages show them; empty: none
  bool has_named = false;         // columns that are chosen by their names
};

// Reads the first two lines. The list is reading.part: names, numbers from 1 and ranges of these,
// with a comma between two; what is in double quotes is a name. A table without lines has each
// column. Throws Error (file, csv.f9; format, csv.f1, csv.f2, csv.f8 and csv.f10).
ChosenColumns chosen_columns(const Source& text, Separator separator, const FormatReading& reading,
                             const MoreText& more);

// How a word chooses each column that has a name in the first line; at most 4096 of them.
std::vector<std::string> column_words(const Source& text, Separator separator,
                                      const FormatReading& reading);

// Calls take(cell, place) for each cell of the line that is chosen, and passes over the others.
template <class Take>
void take_cells(CsvCells& cells, std::span<const ColumnPick> picks, const Take& take) {
  for (auto pick = picks.begin(); pick != picks.end();) {
    const std::int64_t column = pick->column;
    while (cells.column() + 1 < column) {
      if (!cells.skip_cell()) return;
    }
    const auto cell = cells.next_cell();
    if (!cell) return;
    for (; pick != picks.end() && pick->column == column; ++pick) take(*cell, pick->place);
  }
  while (cells.skip_cell()) continue;
}

// ---- Tensors as tables of numbers, one row a line. Form and rules: docs/formats.md, csv.*

// Reads the text twice, in pieces: once for shape and dtype, once for the elements. reading.part:
// the columns that are read, as chosen_columns() takes them; empty: all. Throws Error (csv.f1 to
// csv.f10).
Tensor csv_tensor(const Source& text, Separator separator, const FormatReading& reading);

// The same for a pipe, whose first bytes are in the spool and whose rest is added to it: what is no
// table is refused where it goes wrong, however long the rest is.
Tensor csv_tensor_in_pipe(Spool& text, const File& pipe, Separator separator,
                          const FormatReading& reading);

// The first line of a table, "id, price", or its columns that are read, if it was taken for a
// header; "" if not, and of any other tensor.
std::string table_header(const Tensor& tensor);

std::span<const Rule> csv_rules();

}  // namespace tscatter
