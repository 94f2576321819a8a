#include <algorithm>

#include "tscatter/core/characters.hpp"
#include "tscatter/mlir/dense.hpp"

namespace tscatter::mlir {
namespace {

constexpr std::size_t most_brackets = 256;
constexpr std::size_t most_shown = 40;
constexpr std::string_view comment = "//";

constexpr bool is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr bool is_name_byte(char c, std::string_view others) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$' || c == '.' ||
         others.find(c) != std::string_view::npos;
}

constexpr char closing(char open) {
  switch (open) {
    case '(': return ')';
    case '[': return ']';
    case '{': return '}';
    case '<': return '>';
    default: return 0;
  }
}

constexpr bool is_closing(std::string_view text) {
  return text == ")" || text == "]" || text == "}" || text == ">";
}

// As a message shows it: the front of a long one.
std::string shown(const Token& token) {
  if (token.kind == TokenKind::end) return "the end of the text";
  const std::string_view front = token.text.substr(0, most_shown);
  return escape_control(front) + (front.size() < token.text.size() ? "…" : "");
}

}  // namespace

std::size_t blanks_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size()) {
    if (is_blank(text[end])) {
      ++end;
    } else if (text.substr(end).starts_with(comment)) {
      end = std::min(text.find('\n', end), text.size());
    } else {
      break;
    }
  }
  return end - at;
}

void Scanner::refuse(std::string_view rule, std::string_view got) const {
  // mlir.f1
  fail(ErrorKind::format, "mlir.f1", fmt::format("{}:{}", name_, token_.line), "{}, got {}", rule,
       got);
}

void Scanner::refuse(std::string_view rule) const { refuse(rule, shown(token_)); }

void Scanner::pass_comment() {
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  const std::string_view words = trimmed(text_.substr(at_ + comment.size(), end - at_ - 2));
  if (words.starts_with("-----")) ++section_;
  at_ = end;
}

void Scanner::pass_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      line_ += text_[at_] == '\n' ? 1 : 0;
      ++at_;
    } else if (text_.substr(at_).starts_with(comment)) {
      pass_comment();
    } else {
      return;
    }
  }
}

void Scanner::pass_string() {
  ++at_;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n')
    at_ += text_[at_] == '\\' ? 2 : 1;
  // mlir.f1
  if (at_ >= text_.size() || text_[at_] != '"') {
    token_.line = line_;
    refuse("a string must end in its line", "none of the quotes that end it");
  }
  ++at_;
}

void Scanner::pass_name(std::size_t front, std::string_view others) {
  at_ += front;
  while (at_ < text_.size() && is_name_byte(text_[at_], others) &&
         !text_.substr(at_).starts_with("->"))
    ++at_;
}

// A sign belongs to it behind the e of a decimal fraction.
void Scanner::pass_number() {
  bool is_fraction = false;
  char last = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool is_sign = (c == '+' || c == '-') && is_fraction && (last == 'e' || last == 'E');
    if (!is_sign && !is_name_byte(c, "")) return;
    is_fraction = is_fraction || c == '.';
    last = c;
    ++at_;
  }
}

TokenKind Scanner::pass_token() {
  const char first = text_[at_];
  if (is_letter(first) || first == '_') return pass_name(1, ""), TokenKind::word;
  if (is_digit(first)) return pass_number(), TokenKind::number;
  switch (first) {
    case '"': return pass_string(), TokenKind::string;
    case '%': return pass_name(1, "-#"), TokenKind::value;
    case '^': return pass_name(1, "-"), TokenKind::block;
    case '#':
    case '!': return pass_name(1, ""), TokenKind::attribute;
    case '@':
      if (!text_.substr(at_).starts_with("@\"")) return pass_name(1, "-"), TokenKind::symbol;
      ++at_;
      return pass_string(), TokenKind::symbol;
    default: at_ += text_.substr(at_).starts_with("->") ? 2 : 1; return TokenKind::mark;
  }
}

void Scanner::step() {
  passed_ = at_;
  pass_blanks();
  const std::size_t begin = at_;
  token_ = {.kind = TokenKind::end, .text = text_.substr(begin, 0), .line = line_};
  if (at_ == text_.size()) return;
  token_.kind = pass_token();
  token_.text = text_.substr(begin, at_ - begin);
}

Token Scanner::next() {
  const Token passed = token_;
  step();
  return passed;
}

bool Scanner::take(std::string_view wanted) {
  if (!has(wanted)) return false;
  step();
  return true;
}

void Scanner::require(std::string_view wanted) {
  if (!take(wanted)) refuse(fmt::format("must have {} here", wanted));
}

Token Scanner::require(TokenKind kind, std::string_view what) {
  if (!has(kind)) refuse(fmt::format("must have {} here", what));
  return next();
}

std::string_view Scanner::group(std::string_view bracket) {
  if (!has(bracket)) refuse(fmt::format("must have {} here", bracket));
  const std::size_t begin = offset();
  std::string open;
  do {
    if (const char close = token_.kind == TokenKind::mark ? closing(token_.text[0]) : '\0') {
      open.push_back(close);
      if (open.size() > most_brackets)
        refuse("brackets must be in at most 256 others", "more of them");
    } else if (token_.kind == TokenKind::end) {
      refuse(fmt::format("a bracket must be closed by {}", open.back()));
    } else if (is_closing(token_.text)) {
      if (token_.text[0] != open.back())
        refuse(fmt::format("a bracket must be closed by {}", open.back()));
      open.pop_back();
    }
    step();
  } while (!open.empty());
  return since(begin);
}

std::vector<std::string_view> Scanner::leave_braces() {
  std::vector<std::string_view> symbols;
  for (std::int64_t open = 1; open > 0; step()) {
    if (has(TokenKind::end)) refuse("a function must be closed by }");
    if (has(TokenKind::symbol)) symbols.push_back(token_.text);
    if (has("{")) ++open;
    if (has("}")) --open;
  }
  return symbols;
}

std::string_view Scanner::dense() {
  const std::size_t begin = at_;  // behind the bracket
  while (at_ < text_.size() && text_[at_] != '>') {
    if (text_[at_] == '"') {
      pass_string();
    } else if (const std::size_t blanks = blanks_at(text_, at_); blanks > 0) {
      const std::string_view passed = text_.substr(at_, blanks);
      line_ += std::ranges::count(passed, '\n');
      at_ += blanks;
    } else {
      ++at_;
    }
  }
  const std::string_view list = text_.substr(begin, at_ - begin);
  step();
  if (!has(">")) refuse("the list of dense must be closed by >");
  step();
  return list;
}

}  // namespace tscatter::mlir
