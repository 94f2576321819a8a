#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/text/csv.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t longest_line = std::int64_t{1} << 26U;
static_assert(2 * CsvCells::longest_cell <= TextWindow::reach);  // a cell, its quotes, what follows

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

// How long the line's end is that the text begins with; nullopt if it begins with something else.
std::optional<std::size_t> line_end(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == '\n') return 1;
  if (text[0] != '\r') return std::nullopt;
  return text.size() > 1 && text[1] == '\n' ? 2 : 1;
}

std::string_view without_end(std::string_view text, std::string_view characters) {
  if (!text.empty() && text.back() > ' ') return text;
  return text.substr(0, text.find_last_not_of(characters) + 1);
}

// Where a quoted cell's closing quote is; npos if it is not in the line. "" is a quote in the cell.
std::size_t closing_quote(std::string_view text) {
  constexpr std::string_view ends = "\"\r\n";
  std::size_t at = text.find_first_of(ends, 1);
  while (at != std::string_view::npos && text.substr(at).starts_with("\"\""))
    at = text.find_first_of(ends, at + 2);
  return at == std::string_view::npos || text[at] != '"' ? std::string_view::npos : at;
}

}  // namespace

CsvCells::CsvCells(const Source& text, Separator separator, const FormatReading& reading,
                   MoreText more)
    : reading_{reading},
      window_{text, reading, std::move(more)},
      separator_{separator},
      blanks_{blanks_beside(separator)} {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  for (const char c : {'\n', '\r', '\0', '#'}) may_end_cell_[static_cast<unsigned char>(c)] = true;
  if (separator == Separator::blanks) may_end_cell_['\t'] = true;
  if (const char mark = mark_of(separator); mark != '\0') set_mark(mark);
  if (window_.ahead().starts_with(byte_order_mark)) window_.pass(byte_order_mark.size());
}

void CsvCells::set_mark(char mark) {
  mark_ = mark;
  may_end_cell_[static_cast<unsigned char>(mark)] = true;
}

bool CsvCells::next_line() {
  if (!is_line_over_ || has_comment_) pass_line();
  has_comment_ = false;
  empty_lines_ = 0;
  line_begin_ = window_.passed();
  for (;;) {
    if (window_.ahead().empty()) return false;
    ++line_;
    pass_blanks();
    if (take_line_end()) {
      empty_lines_ += has_lines_ ? 1 : 0;
    } else if (begins_comment(window_.ahead())) {
      pass_line();
    } else {
      break;
    }
  }
  if (mark_ == '\0') set_mark(comma_or_semicolon(window_.ahead()));
  column_ = 0;
  has_lines_ = true;
  is_line_over_ = false;
  return true;
}

// What comes first in the line, outside quotes.
char CsvCells::comma_or_semicolon(std::string_view text) const {
  bool is_quoted = false;
  text = text.substr(0, TextWindow::reach);  // a longer cell is refused
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (line_end(text.substr(at))) break;
    if (text[at] == ',' || text[at] == ';') return text[at];
    if (begins_comment(text, at)) break;
  }
  return ',';
}

// Of the spreadsheet's error word that the text begins with; 0 if it begins with none.
std::size_t CsvCells::error_word_size(std::string_view text) const {
  constexpr std::size_t longest = 64;
  if (!text.starts_with('#')) return 0;
  const std::string_view marks = mark_ == '\0' ? ",;" : std::string_view(&mark_, 1);
  const auto ends = [&](char c) {
    return may_end_cell_[static_cast<unsigned char>(c)] || marks.find(c) != std::string_view::npos;
  };
  text = text.substr(0, longest_cell + 1);
  const std::size_t hashes = std::min(text.find_first_not_of('#'), text.size());
  const std::string_view rest = text.substr(hashes, longest + 1);
  const auto end = static_cast<std::size_t>(std::ranges::find_if(rest, ends) - rest.begin());
  const std::string_view word = without_end(text.substr(0, hashes + end), blanks_);
  return end <= longest && is_error_word(word, separator_) ? word.size() : 0;
}

// Not one in 1.#INF, and not an error word.
bool CsvCells::begins_comment(std::string_view text, std::size_t at) const {
  const std::string_view rest = text.substr(at);
  return rest.starts_with('#') && !text.substr(0, at).ends_with("1.") && error_word_size(rest) == 0;
}

// Returns false after the last one.
bool CsvCells::begin_cell() {
  if (is_line_over_) return false;
  pass_blanks();
  if (separator_ == Separator::blanks) {
    has_comment_ = begins_comment(window_.ahead());
    is_line_over_ = has_comment_ || take_line_end();
    if (is_line_over_) return false;
  }
  ++column_;
  return true;
}

std::optional<std::string_view> CsvCells::next_cell() {
  if (!begin_cell()) return std::nullopt;
  const std::string_view text = window_.ahead();
  return text.starts_with('"') ? quoted_cell(text) : bare_cell(text);
}

std::optional<std::string_view> CsvCells::next_text() {
  text_.clear();
  if (!pass_cell(Kept::text)) return std::nullopt;
  const std::string_view text = without_end(text_, blanks_);
  return text.substr(std::min(text.find_first_not_of(blanks_), text.size()));
}

bool CsvCells::pass_cell(Kept kept) {
  if (!begin_cell()) return false;
  const std::string_view text = window_.ahead();
  if (text.starts_with('"')) {
    pass_quoted(kept);
  } else if (separator_ == Separator::blanks) {
    const std::string_view cell = bare_cell(text);
    if (kept == Kept::text) text_ = cell;
  } else {
    pass_bare(kept);
  }
  return true;
}

// Up to a mark or a line's end.
void CsvCells::pass_bare(Kept kept) {
  for (;;) {
    const std::string_view text = window_.ahead();
    const bool is_last = text.size() < TextWindow::reach;
    std::size_t end = 0;
    while (end < text.size() &&
           (!may_end_cell_[static_cast<unsigned char>(text[end])] || text[end] == '#'))
      ++end;
    keep(text.substr(0, end), kept);
    if (end < text.size() && text[end] == '\0') refuse_nul(cell_place());
    if (is_last || end + 1 < text.size()) return end_cell(text, end);  // not between \r and \n
    window_.pass(end);
    require_short_line();
  }
}

void CsvCells::keep(std::string_view text, Kept kept) {
  if (kept == Kept::text) text_ += text.substr(0, longest_cell + 1 - text_.size());
}

// Of a quoted cell; its line breaks count.
void CsvCells::pass_text(std::string_view text, Kept kept) {
  constexpr auto none = std::string_view::npos;
  keep(text, kept);
  if (text.find('\0') != none) refuse_nul(cell_place());
  for (std::size_t at = text.find('\n'); at != none; at = text.find('\n', at + 1)) ++line_;
  for (std::size_t at = text.find('\r'); at != none; at = text.find('\r', at + 1)) {
    if (!text.substr(at).starts_with("\r\n")) ++line_;
  }
  window_.pass(text.size());
}

void CsvCells::pass_quoted(Kept kept) {
  std::array<char, 40> opening{};
  const std::string_view begin(opening.data(),
                               window_.ahead().copy(opening.data(), opening.size()));
  const std::int64_t first_line = line_;
  const auto refuse = [&] {
    line_ = first_line;
    refuse_open_quote(begin);
  };
  window_.pass(1);
  for (;;) {
    const std::string_view text = window_.ahead();
    const bool is_open = text.empty() || window_.passed() - line_begin_ > longest_line;
    if (is_open) refuse();
    pass_text(text.substr(0, text.find('"')), kept);
    const std::string_view rest = window_.ahead();
    if (!rest.starts_with('"')) continue;
    window_.pass(1);
    if (!rest.substr(1).starts_with('"')) break;
    pass_text(rest.substr(1, 1), kept);
  }
  if (!end_quoted(window_.ahead(), 0)) refuse();
}

std::size_t CsvCells::bare_cell_end(std::string_view text) const {
  std::size_t end = 0;
  for (;;) {
    while (end < text.size() && !may_end_cell_[static_cast<unsigned char>(text[end])]) ++end;
    const bool is_in_cell = text.substr(end).starts_with('#') && !begins_comment(text, end);
    if (!is_in_cell) return end;
    end += std::max<std::size_t>(error_word_size(text.substr(end)), 1);
  }
}

std::string_view CsvCells::bare_cell(std::string_view text) {
  const std::size_t end = bare_cell_end(text);
  require_short_cell(end);
  if (end < text.size() && text[end] == '\0') refuse_nul(cell_place());
  end_cell(text, end);
  return without_end(text.substr(0, end), blanks_);
}

// `after`: what follows the closing quote. Returns whether the cell ends there.
bool CsvCells::end_quoted(std::string_view text, std::size_t after) {
  const std::size_t next = std::min(text.find_first_not_of(blanks_, after), text.size());
  require_short_cell(next);
  const std::string_view rest = text.substr(next);
  const bool is_apart = separator_ == Separator::blanks && next > after;
  const bool is_at_end = line_end(rest).has_value() || begins_comment(rest);
  if (!is_apart && !is_at_end && text[next] != mark_) return false;
  end_cell(text, next);
  return true;
}

std::string_view CsvCells::quoted_cell(std::string_view text) {
  const std::size_t quote = closing_quote(text.substr(0, TextWindow::reach));
  if (quote == std::string_view::npos || !end_quoted(text, quote + 1)) refuse_quotes(text);
  const std::string_view cell = without_end(text.substr(1, quote - 1), blanks_);
  return cell.substr(std::min(cell.find_first_not_of(blanks_), cell.size()));
}

// `at`: what follows the cell.
void CsvCells::end_cell(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const std::optional<std::size_t> end = line_end(rest);
  has_comment_ = begins_comment(rest);
  is_line_over_ = end || has_comment_;
  const bool is_marked = separator_ != Separator::blanks && !has_comment_;
  window_.pass(at + end.value_or(is_marked ? 1 : 0));
  require_short_line();
}

void CsvCells::require_short_line() const {
  // csv.f8
  if (window_.passed() - line_begin_ > longest_line) {
    fail(ErrorKind::format, "csv.f8", line_place(),
         "a line, with the empty lines and comments before it, must be at most {} bytes long, got "
         "more",
         longest_line);
  }
}

void CsvCells::refuse_nul(const std::string& place) const {
  // csv.f1
  fail(ErrorKind::format, "csv.f1", place,
       "the text has a NUL byte (UTF-16 becomes UTF-8 with iconv -f UTF-16 -t UTF-8)");
}

void CsvCells::require_short_cell(std::size_t bytes) const {
  // csv.f1
  if (bytes > longest_cell) {
    fail(ErrorKind::format, "csv.f1", cell_place(),
         "a cell must be at most {} bytes long, got more", longest_cell);
  }
}

void CsvCells::refuse_quotes(std::string_view text) const {
  require_short_cell(std::min({text.find_first_of("\r\n"), text.size(), TextWindow::reach}));
  refuse_open_quote(text);
}

void CsvCells::refuse_open_quote(std::string_view text) const {
  // csv.f1
  fail(ErrorKind::format, "csv.f1", cell_place(),
       "a quote must be closed at the end of its cell, got {}",
       text.substr(0, std::min<std::size_t>(text.find_first_of("\r\n"), 40)));
}

// Also passes more of them than one window holds.
void CsvCells::pass_blanks() {
  for (;;) {
    const std::string_view text = window_.ahead();
    const bool has_none = !text.empty() && text.front() != ' ' && text.front() != '\t';
    if (has_none) return;  // as before most cells
    const std::size_t end = std::min(text.find_first_not_of(blanks_), text.size());
    window_.pass(end);
    if (end < text.size() || text.empty()) return;
    require_short_line();
  }
}

void CsvCells::pass_line() {
  constexpr std::string_view ends("\r\n\0", 3);
  for (;;) {
    const std::string_view text = window_.ahead();
    const std::size_t end = std::min(text.find_first_of(ends), text.size());
    window_.pass(end);
    require_short_line();
    if (take_line_end()) return;
    if (window_.ahead().starts_with('\0')) refuse_nul(line_place());
  }
}

bool CsvCells::take_line_end() {
  const std::optional<std::size_t> end = line_end(window_.ahead());
  window_.pass(end.value_or(0));
  require_short_line();
  return end.has_value();
}

std::string CsvCells::line_place() const { return fmt::format("{}:{}", reading_.name, line_); }

std::string CsvCells::cell_place() const {
  return fmt::format("{}, column {}", line_place(), column_);
}

}  // namespace tscatter
