// Which columns of a table are read: x.csv:id, x.csv:row,col, x.csv:2-4. Rules: docs/formats.md,
// csv.f9 and csv.f10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/io/formats/text/csv_cells.hpp"

namespace tscatter {

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

}  // namespace tscatter
