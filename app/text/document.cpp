#include "text/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "tscatter/core/error.hpp"

namespace tscatter::app {
namespace {

NamedFigure shown_figure(const std::string& name, Figure figure, Align align) {
  figure.text = escape_control(figure.text);
  return {.name = escape_control(name), .figure = std::move(figure), .align = align};
}

}  // namespace

Document::Document(std::initializer_list<Member> members) { put(members); }

void Document::add(std::string_view key, const std::string& name, Figure figure, Align align) {
  add(key, shown_figure(name, std::move(figure), align));
}
void Document::put(std::string_view key, Value value) { put(key, Figure{std::move(value), {}}); }
void Document::put(std::string_view key, Figure figure) {
  put(key, NamedFigure{{}, std::move(figure)});
}
void Document::put(std::initializer_list<Member> members) {
  for (const Member& member : members) put(member.key, member.value);
}
void Document::show(const std::string& name, const std::string& text, Align align) {
  show(shown_figure(name, {{}, text}, align));
}

void Document::add(std::string_view key, Content content) {
  parts_.push_back({key, SaidIn::both, std::move(content)});
}
void Document::put(std::string_view key, Content content) {
  parts_.push_back({key, SaidIn::json, std::move(content)});
}
void Document::show(Content content) { parts_.push_back({{}, SaidIn::words, std::move(content)}); }
void Document::add(Document document) { add({}, Content(std::move(document))); }
void Document::put(Document document) { put({}, Content(std::move(document))); }

void Document::line(const std::string& text) { show(TextLine{.text = escape_control(text)}); }
void Document::paragraph(const std::string& text) {
  show(TextLine{.text = escape_control(text), .is_paragraph = true});
}

namespace {

void collect_cells(const Document& row, std::vector<const NamedFigure*>& cells) {
  for (const Document::Part& part : row.parts()) {
    if (!part.is_in_words()) continue;
    if (const auto* figure = std::get_if<NamedFigure>(&part.content)) cells.push_back(figure);
    if (const Document* merged = part.merged()) collect_cells(*merged, cells);
  }
}

class DocumentText {
 public:
  void write(const Document& document) {
    for (const Document::Part& part : document.parts()) {
      if (part.is_in_words())
        std::visit([&](const auto& content) { write(content); }, part.content);
    }
  }

  void write(const Table& table) {
    TextTable rows;
    for (const Document& row : table.rows) {
      const std::vector<const NamedFigure*> figures = shown_figures(row);
      if (figures.empty()) continue;
      if (rows.is_empty()) begin(rows, figures, table.front);
      std::vector<std::string> texts(figures.size());
      std::ranges::transform(figures, texts.begin(),
                             [](const NamedFigure* each) { return each->figure.text; });
      rows.add(std::move(texts));
    }
    text_ += rows.text();
  }

  std::string finished() {
    end_figures();
    return std::move(text_);
  }

 private:
  void write(const NamedFigure& figure) { figures_.add({figure.name, figure.figure.text}); }

  void write(const TextLine& line) {
    end_figures();
    if (line.is_paragraph) empty_line();
    text_ += line.text + "\n";
  }

  // Adds what is above the first row.
  void begin(TextTable& rows, const std::vector<const NamedFigure*>& figures, TableFront front) {
    end_figures();
    std::vector<std::string> names;
    std::vector<Align> columns;
    for (const NamedFigure* figure : figures) {
      names.push_back(figure->name);
      columns.push_back(figure->align);
    }
    rows = TextTable(std::move(columns));
    if (front == TableFront::empty_line_and_names) empty_line();
    if (front != TableFront::nothing) rows.add(std::move(names));
  }

  void end_figures() {
    if (figures_.is_empty()) return;
    empty_line();
    text_ += std::exchange(figures_, TextTable()).text();
  }

  void empty_line() {
    if (!text_.empty()) text_ += "\n";
  }

  std::string text_;
  TextTable figures_;  // those since the last other part
};

using nlohmann::ordered_json;

constexpr auto on_error = ordered_json::error_handler_t::replace;

bool has_members(const Document& document) {
  return std::ranges::any_of(document.parts(), [](const Document::Part& part) {
    if (!part.is_in_json()) return false;
    return !part.key.empty() || (part.merged() != nullptr && has_members(*part.merged()));
  });
}

class JsonText {
 public:
  void write(const Document& document) {
    begin('{');
    write_members(document);
    end('}');
  }

  void write(const Table& table) {
    const bool is_list = table.form == TableForm::list;
    begin(is_list ? '[' : '{');
    for (const Document& row : table.rows) {
      if (!is_list) {
        write_members(row);
      } else if (has_members(row)) {
        separate();
        write(row);
      }
    }
    end(is_list ? ']' : '}');
  }

  std::string finished() { return std::move(text_); }

 private:
  void write_members(const Document& document) {
    for (const Document::Part& part : document.parts()) {
      if (!part.is_in_json()) continue;
      if (const Document* merged = part.merged()) write_members(*merged);
      if (part.key.empty()) continue;
      separate();
      write(part.key);
      text_ += ':';
      std::visit([&](const auto& content) { write(content); }, part.content);
      if (const auto* figure = std::get_if<NamedFigure>(&part.content))
        write_bits(part.key, *figure);
    }
  }

  void write_bits(std::string_view key, const NamedFigure& figure) {
    if (figure.figure.bits.empty()) return;
    separate();
    write(std::string(key) + "_bits");
    text_ += ':';
    write(figure.figure.bits);
  }

  void write(const NamedFigure& figure) { write(figure.figure.value); }
  void write(const TextLine& /*words*/) {}
  void write(const Value& value) {
    std::visit([&](const auto& content) { write(content); }, value.content());
  }
  void write(std::string_view text) { text_ += ordered_json(text).dump(-1, ' ', false, on_error); }
  void write(const std::string& text) { write(std::string_view(text)); }
  void write(const WrittenJson& json) { text_ += json.text; }
  void write(const Value::List& list) {
    begin('[');
    for (const Value& value : list) {
      separate();
      write(value);
    }
    end(']');
  }
  template <class Scalar>
  void write(const Scalar& scalar) {
    text_ += ordered_json(scalar).dump();
  }

  void begin(char bracket) {
    text_ += bracket;
    is_first_ = true;
  }
  void end(char bracket) {
    text_ += bracket;
    is_first_ = false;
  }
  // Before each member and element.
  void separate() {
    if (!std::exchange(is_first_, false)) text_ += ',';
  }

  std::string text_;
  bool is_first_ = true;  // of its object or list
};

// `json` with all characters but ASCII as \u escapes; they can only be in strings.
std::string ascii(std::string_view json) {
  constexpr auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x7F; };
  std::string text;
  while (!json.empty()) {
    const auto begin = std::ranges::find_if_not(json, is_ascii);
    const auto end = std::find_if(begin, json.end(), is_ascii);
    text.append(json.begin(), begin);
    const std::string escaped = ordered_json(std::string(begin, end)).dump(-1, ' ', true);
    text.append(escaped, 1, escaped.size() - 2);
    json.remove_prefix(static_cast<std::size_t>(end - json.begin()));
  }
  return text;
}

// `json` without what GitHub Actions would take for a command, wherever it stands in a line.
std::string obeyed_by_nobody(std::string json) {
  constexpr std::string_view mark = "##[";
  for (std::size_t at = json.find(mark); at != std::string::npos; at = json.find(mark, at))
    json.replace(at, 1, "\\u0023");
  return json;
}

template <class Report>
std::string line_of(const Report& report) {
  JsonText json;
  json.write(report);
  const std::string text = json.finished();
  return obeyed_by_nobody(escape_control(text) == text ? text : ascii(text)) + "\n";
}

}  // namespace

std::vector<const NamedFigure*> shown_figures(const Document& document) {
  std::vector<const NamedFigure*> figures;
  collect_cells(document, figures);
  return figures;
}

Document in_json_only(Document row) {
  Document members;
  members.put(std::move(row));
  return members;
}

std::string document_text(const Document& document) {
  DocumentText text;
  text.write(document);
  return text.finished();
}

std::string document_text(const Table& table) {
  DocumentText text;
  text.write(table);
  return text.finished();
}

std::string json_line(const Document& document) { return line_of(document); }

std::string json_line(const Table& table) { return line_of(table); }

WrittenJson written_json(const Document& document) {
  JsonText json;
  json.write(document);
  return {json.finished()};
}

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
