#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/io/formats/text/csv.hpp"

namespace tscatter {
namespace {

constexpr std::size_t most_known = 4096;  // names that are kept for hints
constexpr std::int64_t most_chosen = std::int64_t{1} << 20U;

struct Numbers {
  std::int64_t first = 0;
  std::int64_t last = 0;

  std::int64_t count() const { return last - first + 1; }
};

// What stands between two commas of a list.
struct ColumnChoice {
  std::string name;                // as it may stand in a header
  std::optional<Numbers> numbers;  // nullopt: it can only be a name
};

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// From 1; one that int64 does not have is its largest. nullopt: it is none.
std::optional<std::int64_t> number_of(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  std::int64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc{}) return std::numeric_limits<std::int64_t>::max();
  return number > 0 ? std::optional(number) : std::nullopt;
}

// "2", "2-4"
std::optional<Numbers> numbers_of(std::string_view text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto first = number_of(text.substr(0, dash));
  const auto last = dash == text.size() ? first : number_of(text.substr(dash + 1));
  if (!first || !last || *first > *last) return std::nullopt;
  return Numbers{.first = *first, .last = *last};
}

[[noreturn]] void refuse_list(std::string_view list, const std::string& where) {
  // csv.f9
  fail(ErrorKind::file, "csv.f9", where,
       "columns must be names, numbers from 1 and ranges such as 2-4, with a comma between two, "
       "got {}",
       list);
}

// The name in double quotes that the list begins with, which is taken off.
ColumnChoice take_quoted(std::string_view& list, std::string_view whole, const std::string& where) {
  ColumnChoice choice;
  for (std::size_t at = 1; at < list.size(); ++at) {
    if (list[at] != '"') {
      choice.name += list[at];
    } else if (list.substr(at).starts_with("\"\"")) {
      choice.name += list[at++];
    } else {
      list = without_blanks(list.substr(at + 1));
      if (!list.empty() && list.front() != ',') break;
      return choice;
    }
  }
  refuse_list(whole, where);
}

std::vector<ColumnChoice> choices_of(std::string_view whole, const std::string& where) {
  std::vector<ColumnChoice> all;
  std::string_view list = without_blanks(whole);
  for (;;) {
    if (list.starts_with('"')) {
      all.push_back(take_quoted(list, whole, where));
    } else {
      const std::string_view piece = without_blanks(list.substr(0, list.find(',')));
      if (piece.empty()) refuse_list(whole, where);
      all.push_back({.name = std::string(piece), .numbers = numbers_of(piece)});
      list.remove_prefix(std::min(list.find(','), list.size()));
    }
    if (list.empty()) return all;
    list = without_blanks(list.substr(1));
  }
}

std::size_t index_of(std::int64_t column) { return static_cast<std::size_t>(column - 1); }

// Which columns the first line gives a name, and whether it is a header.
class ColumnSearch {
 public:
  ColumnSearch(const Source& text, Separator separator, const FormatReading& reading,
               const MoreText& more)
      : reading_{reading},
        separator_{separator},
        cells_{text, separator, reading, more},
        choices_{choices_of(reading.part, reading.name)} {
    for (const ColumnChoice& choice : choices_) {
      named_.try_emplace(choice.name);
      if (choice.numbers) numbers_.push_back(*choice.numbers);
    }
    std::ranges::sort(numbers_, {}, &Numbers::first);
  }

  ChosenColumns chosen() {
    const bool has_lines = cells_.next_line();
    if (has_lines) read_first_line();
    bool has_header = has_lines && is_header();
    const bool is_counted = has_lines && (!has_header || separator_ != Separator::blanks);
    const bool has_rows = has_lines && (!is_counted || !has_header) && cells_.next_line();
    if (has_rows) read_second_line();
    are_counted_ = is_counted || has_rows;
    if (!has_header && named_above_) has_header = require_header();
    return resolved(has_header);
  }

 private:
  struct Named {
    std::int64_t column = 0;  // the first one; 0: none
    std::int64_t again = 0;   // the next one
  };

  void read_first_line() {
    std::size_t next = 0;    // of the numbers
    std::int64_t reach = 0;  // of those that begin here or before
    while (const auto text = cells_.next_text()) {
      const std::int64_t column = cells_.column();
      const bool is_value = number_in_cell(*text) || truth_in_cell(*text) ||
                            (reading_.missing == Missing::nan && is_missing(*text));
      whole_.add(*text, cells_, is_value);
      while (next < numbers_.size() && numbers_[next].first <= column)
        reach = std::max(reach, numbers_[next++].last);
      const bool is_numbered = column <= reach;
      if (is_numbered) numbered_.add(*text, cells_, is_value);
      names_beside_.push_back(!is_numbered && !is_value && is_name(*text));
      note_name(*text, column);
    }
    width_ = cells_.column();
  }

  void note_name(std::string_view text, std::int64_t column) {
    if (known_.size() < most_known) known_.emplace_back(text);
    const auto found = named_.find(text);
    if (found == named_.end()) return;
    Named& named = found->second;
    (named.column == 0 ? named.column : named.again) = column;
  }

  // By its cells, or because a choice can only be one of its names.
  bool is_header() const {
    return whole_.is_header() || numbered_.is_header() ||
           std::ranges::any_of(choices_, [](const auto& choice) { return !choice.numbers; });
  }

  std::int64_t column_named(const std::string& name) const {
    return named_.find(name)->second.column;
  }

  void read_second_line() {
    while (const auto text = cells_.next_text()) {
      const std::int64_t column = cells_.column();
      const bool is_below_name = column <= width_ && names_beside_[index_of(column)];
      const bool is_value = number_in_cell(*text) || truth_in_cell(*text);
      if (!named_above_ && is_below_name && is_value) named_above_ = column;
    }
    if (separator_ == Separator::blanks) row_width_ = cells_.column();
  }

  // A name above a number shows a header if a choice is in it, too: else it may be a row.
  bool require_header() const {
    const bool is_named = std::ranges::any_of(
        choices_, [&](const ColumnChoice& choice) { return column_named(choice.name) > 0; });
    // csv.f2
    if (!is_named) {
      fail(ErrorKind::format, "csv.f2", reading_.name,
           "a first line must be a header or a row (a name in double quotes chooses a header; a "
           "line of names may be put before a row), got a name above a number in column {} and a "
           "number in column {}",
           *named_above_, numbers_.front().first);
    }
    return true;
  }

  ChosenColumns resolved(bool has_header) const {
    std::vector<std::int64_t> columns;
    ChosenColumns chosen;
    for (const ColumnChoice& choice : choices_) {
      const std::int64_t named = has_header ? column_named(choice.name) : 0;
      if (named > 0) require_one(choice);
      chosen.has_named = chosen.has_named || named > 0;
      append(columns, choice, named);
    }
    if (has_header) chosen.header = header_of(columns);
    for (std::size_t place = 0; place < columns.size(); ++place)
      chosen.picks.push_back({.column = columns[place], .place = place});
    std::ranges::stable_sort(chosen.picks, {}, &ColumnPick::column);
    return chosen;
  }

  // `named`: the column of the header that has this name; 0: none.
  void append(std::vector<std::int64_t>& columns, const ColumnChoice& choice,
              std::int64_t named) const {
    const bool is_name = named > 0 || !choice.numbers;
    const std::int64_t width = row_width_.value_or(width_);
    const bool is_there =
        is_name ? named > 0 || width_ == 0 : !are_counted_ || choice.numbers->last <= width;
    if (!is_there) refuse(choice.name, width);
    const Numbers numbers = is_name ? Numbers{.first = named, .last = named} : *choice.numbers;
    // csv.f9
    if (numbers.count() > most_chosen - std::ssize(columns)) {
      fail(ErrorKind::file, "csv.f9", reading_.name, "at most {} columns must be chosen, got {}",
           most_chosen, reading_.part);
    }
    for (std::int64_t column = numbers.first; column <= numbers.last; ++column)
      columns.push_back(column);
  }

  void require_one(const ColumnChoice& choice) const {
    const Named& named = named_.find(choice.name)->second;
    // csv.f10
    if (named.again > 0) {
      fail(ErrorKind::format, "csv.f10", reading_.name,
           "a name that chooses a column must stand once in the header (a number chooses one, "
           "too), got {} in columns {} and {}",
           choice.name, named.column, named.again);
    }
  }

  [[noreturn]] void refuse(const std::string& got, std::int64_t width) const {
    std::string names = " (the first line has no names)";
    if (column_named(got) > 0) {
      names = " (in double quotes it is a name)";
    } else if (whole_.has_names()) {
      const std::string* const nearest = nearest_name(got, known_);
      names = std::ssize(known_) == width_
                  ? fmt::format(" or one of {}", names_and_nearest(got, known_))
                  : fmt::format(" or a name of the header{}",
                                nearest == nullptr ? "" : fmt::format(" (nearest: {})", *nearest));
    }
    // csv.f9
    fail(ErrorKind::file, "csv.f9", reading_.name,
         "a column must be a number from 1 to {}{}, got {}", width, names, got);
  }

  std::string header_of(const std::vector<std::int64_t>& columns) const {
    constexpr std::size_t most = 16;
    std::string header;
    for (std::size_t i = 0; i < std::min(columns.size(), most + 1); ++i) {
      const std::size_t index = index_of(columns[i]);
      const bool is_shown = i < most && index < known_.size();
      const std::string name = is_shown ? known_[index] : "...";
      header += (i > 0 ? ", " : "") + (name.empty() ? "\"\"" : shown_cell(name));
    }
    return header;
  }

  const FormatReading& reading_;
  Separator separator_;
  CsvCells cells_;
  std::vector<ColumnChoice> choices_;
  std::map<std::string, Named, std::less<>> named_;
  std::vector<Numbers> numbers_;  // of the choices, by the first
  FirstLine whole_;
  FirstLine numbered_;                       // its cells that are chosen by number
  std::vector<bool> names_beside_;           // whether another cell is a name
  std::optional<std::int64_t> named_above_;  // the first column where one stands above a number
  std::vector<std::string> known_;
  std::int64_t width_ = 0;
  std::optional<std::int64_t> row_width_;  // below a header between blanks
  bool are_counted_ = false;               // whether it is known how many columns there are
};

}  // namespace

void FirstLine::add(std::string_view cell, const CsvCells& cells, bool is_value) {
  const bool is_index = cell.empty() && cells.column() == 1;  // pandas' header of the index
  const bool is_own_name = !is_value && is_name(cell);
  has_names_ = has_names_ || is_own_name;
  has_others_ = has_others_ || (!is_own_name && !is_index);
  std::optional<PlacedCell>& first = is_own_name ? name_ : no_name_;
  if (!is_value && !first)
    first = PlacedCell{.place = cells.cell_place(), .text = std::string(cell)};
  append_name(cell, cells.column());
}

void FirstLine::append_name(std::string_view cell, std::int64_t column) {
  constexpr std::int64_t most = 16;
  if (column > most + 1) return;
  if (column > 1) header_ += ", ";
  header_ += column > most ? "..." : cell.empty() ? "\"\"" : shown_cell(cell);
}

ChosenColumns chosen_columns(const Source& text, Separator separator, const FormatReading& reading,
                             const MoreText& more) {
  FormatReading quiet = reading;
  quiet.progress = nullptr;  // two lines
  return ColumnSearch(text, separator, quiet, more).chosen();
}

std::vector<std::string> column_words(const Source& text, Separator separator,
                                      const FormatReading& reading) {
  std::vector<std::string> words;
  CsvCells cells(text, separator, reading);
  if (!cells.next_line()) return words;
  while (const auto name = cells.next_text()) {
    if (words.size() == most_known) break;
    const bool is_plain =
        name->find_first_of(",\"") == std::string_view::npos && !numbers_of(*name);
    std::string quoted = "\"";
    for (const char each : *name) quoted += each == '"' ? "\"\"" : std::string(1, each);
    if (is_name(*name)) words.push_back(is_plain ? std::string(*name) : quoted + '"');
  }
  return words;
}

}  // namespace tscatter
