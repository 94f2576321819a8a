#include "tscatter/io/formats/csv_cells.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/unreachable.hpp"

namespace tscatter {
namespace {

constexpr std::size_t longest_cell = 4096;
static_assert(2 * longest_cell <= TextWindow::reach);  // a cell, its quotes, what follows it

std::string_view blanks_beside(Separator separator) {
  return separator == Separator::tab ? " " : " \t";
}

char mark_of(Separator separator) {
  switch (separator) {
    case Separator::comma: return '\0';
    case Separator::tab: return '\t';
    case Separator::blanks: return ' ';
  }
  unreachable();
}

// What comes first in the line, outside quotes.
char comma_or_semicolon(std::string_view text) {
  bool is_quoted = false;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted && (c == ',' || c == ';')) return c;
  }
  return ',';
}

// How long the line's end is that the text begins with; nullopt if it begins with something else.
std::optional<std::size_t> line_end(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == '\n') return 1;
  if (text[0] == '\r' && text.size() == 1) return 1;
  return text.starts_with("\r\n") ? std::optional<std::size_t>(2) : std::nullopt;
}

std::string_view without_end(std::string_view text, std::string_view characters) {
  return text.substr(0, text.find_last_not_of(characters) + 1);
}

// Where a quoted cell's closing quote is; npos if it is not in the line. "" is a quote in the cell.
std::size_t closing_quote(std::string_view text) {
  std::size_t at = text.find_first_of("\"\n", 1);
  while (at != std::string_view::npos && text.substr(at).starts_with("\"\""))
    at = text.find_first_of("\"\n", at + 2);
  return at == std::string_view::npos || text[at] == '\n' ? std::string_view::npos : at;
}

}  // namespace

CsvCells::CsvCells(const Source& text, Separator separator, const FormatReading& reading)
    : reading_{reading},
      window_{text, reading},
      separator_{separator},
      blanks_{blanks_beside(separator)},
      mark_{mark_of(separator)} {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (window_.ahead().starts_with(byte_order_mark)) window_.pass(byte_order_mark.size());
}

bool CsvCells::next_line() {
  if (!is_line_over_) pass_line();
  follows_empty_line_ = false;
  for (;;) {
    if (window_.ahead().empty()) return false;
    ++line_;
    pass_blanks();
    if (take_line_end()) {
      follows_empty_line_ = true;
    } else if (window_.ahead().starts_with('#')) {
      pass_line();
    } else {
      break;
    }
  }
  if (mark_ == '\0') mark_ = comma_or_semicolon(window_.ahead());
  column_ = 0;
  is_line_over_ = false;
  return true;
}

std::optional<std::string_view> CsvCells::next_cell() {
  if (is_line_over_) return std::nullopt;
  pass_blanks();
  if (separator_ == Separator::blanks && take_line_end()) {
    is_line_over_ = true;
    return std::nullopt;
  }
  ++column_;
  const std::string_view text = window_.ahead();
  return text.starts_with('"') ? quoted_cell(text) : bare_cell(text);
}

bool CsvCells::ends_cell(char c) const {
  const bool is_blank = separator_ == Separator::blanks && c == '\t';
  return c == mark_ || c == '\n' || c == '\0' || is_blank;
}

std::string_view CsvCells::bare_cell(std::string_view text) {
  const auto last = std::find_if(text.begin(), text.end(), [this](char c) { return ends_cell(c); });
  const auto end = static_cast<std::size_t>(last - text.begin());
  require_short(end);
  // csv.f1
  if (last != text.end() && *last == '\0') {
    fail(ErrorKind::format, "csv.f1", cell_place(),
         "the text must have no NUL byte (UTF-16 becomes UTF-8 with iconv -f UTF-16 -t UTF-8), got "
         "one");
  }
  end_cell(text, end);
  std::string_view cell = text.substr(0, end);
  if (is_line_over_ && cell.ends_with('\r')) cell.remove_suffix(1);
  return without_end(cell, blanks_);
}

std::string_view CsvCells::quoted_cell(std::string_view text) {
  const std::size_t quote = closing_quote(text.substr(0, TextWindow::reach));
  if (quote == std::string_view::npos) refuse_quotes(text);
  const std::size_t next = std::min(text.find_first_not_of(blanks_, quote + 1), text.size());
  require_short(next);
  const bool is_apart = separator_ == Separator::blanks && next > quote + 1;
  const bool is_at_end = line_end(text.substr(next)).has_value();
  if (!is_apart && !is_at_end && text[next] != mark_) refuse_quotes(text);
  end_cell(text, next);
  const std::string_view cell = without_end(text.substr(1, quote - 1), blanks_);
  return cell.substr(std::min(cell.find_first_not_of(blanks_), cell.size()));
}

// `at`: what follows the cell.
void CsvCells::end_cell(std::string_view text, std::size_t at) {
  const std::optional<std::size_t> end = line_end(text.substr(at));
  is_line_over_ = end.has_value();
  const std::size_t mark = separator_ == Separator::blanks ? 0 : 1;
  window_.pass(at + end.value_or(mark));
}

void CsvCells::require_short(std::size_t bytes) const {
  // csv.f1
  if (bytes > longest_cell) {
    fail(ErrorKind::format, "csv.f1", cell_place(),
         "a cell must be at most {} bytes long, got more", longest_cell);
  }
}

void CsvCells::refuse_quotes(std::string_view text) const {
  require_short(std::min({text.find('\n'), text.size(), TextWindow::reach}));
  // csv.f1
  fail(ErrorKind::format, "csv.f1", cell_place(),
       "a quote must be closed at the end of its cell, got {}",
       text.substr(0, std::min<std::size_t>(text.find_first_of("\r\n"), 40)));
}

// Also passes more of them than one window holds.
void CsvCells::pass_blanks() {
  for (;;) {
    const std::string_view text = window_.ahead();
    const std::size_t end = std::min(text.find_first_not_of(blanks_), text.size());
    window_.pass(end);
    if (end < text.size() || text.empty()) return;
  }
}

void CsvCells::pass_line() {
  for (;;) {
    const std::string_view text = window_.ahead();
    const std::size_t end = text.find('\n');
    if (end != std::string_view::npos) return window_.pass(end + 1);
    window_.pass(text.size());
    if (text.empty()) return;
  }
}

bool CsvCells::take_line_end() {
  const std::optional<std::size_t> end = line_end(window_.ahead());
  window_.pass(end.value_or(0));
  return end.has_value();
}

std::string CsvCells::line_place() const { return fmt::format("{}:{}", reading_.name, line_); }

std::string CsvCells::cell_place() const {
  return fmt::format("{}, column {}", line_place(), column_);
}

}  // namespace tscatter
