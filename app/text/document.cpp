#include "text/document.hpp"

#include <algorithm>
#include <utility>

#include "tscatter/core/error.hpp"

namespace tscatter::app {
namespace {

NamedFigure shown_figure(const std::string& name, Figure figure, Align align) {
  figure.text = escape_control(figure.text);
  return {.name = escape_control(name), .figure = std::move(figure), .align = align};
}

}  // namespace

Document::Document() = default;
Document::Document(std::initializer_list<Member> members) { put(members); }
Document::Document(const Document&) = default;
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(const Document&) = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

void Document::add(std::string_view key, const std::string& name, Figure figure, Align align) {
  parts_.push_back({key, SaidIn::both, shown_figure(name, std::move(figure), align)});
}
void Document::put(std::string_view key, Value value) {
  parts_.push_back({key, SaidIn::json, NamedFigure{{}, {std::move(value), {}}}});
}
void Document::put(std::string_view key, Figure figure) {
  parts_.push_back({key, SaidIn::json, NamedFigure{{}, std::move(figure)}});
}
void Document::put(std::initializer_list<Member> members) {
  for (const Member& member : members) put(member.key, member.value);
}
void Document::show(const std::string& name, const std::string& text, Align align) {
  parts_.push_back({{}, SaidIn::words, shown_figure(name, {{}, text}, align)});
}

void Document::add(std::string_view key, Document document) {
  parts_.push_back({key, SaidIn::both, std::move(document)});
}
void Document::put(std::string_view key, Document document) {
  parts_.push_back({key, SaidIn::json, std::move(document)});
}
void Document::show(Document document) {
  parts_.push_back({{}, SaidIn::words, std::move(document)});
}

void Document::add(std::string_view key, Table table) {
  parts_.push_back({key, SaidIn::both, std::move(table)});
}
void Document::put(std::string_view key, Table table) {
  parts_.push_back({key, SaidIn::json, std::move(table)});
}
void Document::show(Table table) { parts_.push_back({{}, SaidIn::words, std::move(table)}); }

void Document::line(const std::string& text) {
  parts_.push_back({{}, SaidIn::words, TextLine{.text = escape_control(text)}});
}
void Document::paragraph(const std::string& text) {
  parts_.push_back(
      {{}, SaidIn::words, TextLine{.text = escape_control(text), .is_paragraph = true}});
}

void Document::append(Part part) { parts_.push_back(std::move(part)); }

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

}  // namespace tscatter::app
