// Reports, described once and written as words or JSON: Document; and TextTable, its tables.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "text/figure.hpp"

namespace tscatter::app {

// ---- TextTable: rows of words in aligned columns, two spaces apart; and bars for its cells.

enum class Align : std::uint8_t { left, right };

class TextTable {
 public:
  // Further columns are left-aligned.
  explicit TextTable(std::vector<Align> columns = {}) : columns_{std::move(columns)} {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool is_empty() const { return rows_.empty(); }

  // A line for each row, without trailing spaces.
  std::string text() const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// A bar of at most 40 characters: as long a part of them as `count` is of `most`, rounded up.
std::string bar(std::int64_t count, std::int64_t most);

// ---- Document: one description of a report, from which both its words and its JSON are written.
// `add` puts a part into both, `put` into JSON only, `show` into words only.
//   document.add("index_entries", "index entries", grouped(1200));
// is "index_entries": 1200 in JSON, and in words the line: index entries  1,200
// Whatever comes from outside may be put in: control characters are escaped here, in words, and by
// json_line(), in JSON.

struct Table;

// A figure in JSON only. Keys live as long as the program.
struct Member {
  std::string_view key;
  Value value;
};

// A value under its name.
struct NamedFigure {
  std::string name;
  Figure figure;
  Align align = Align::left;
};

struct TextLine {
  std::string text;
  bool is_paragraph = false;
};

enum class SaidIn : std::uint8_t { both, json, words };

class Document {
 public:
  using Content = std::variant<NamedFigure, Document, Table, TextLine>;

  Document() = default;
  Document(std::initializer_list<Member> members);

  // A figure; its bits, if it has any, are the member "key_bits". In words, consecutive figures are
  // lines of one table; in a table's row they are its cells, under their names.
  void add(std::string_view key, const std::string& name, Figure figure, Align align = Align::left);
  void put(std::string_view key, Value value);
  void put(std::string_view key, Figure figure);
  void put(std::initializer_list<Member> members);
  void show(const std::string& name, const std::string& text, Align align = Align::left);

  // A table, or another document: in JSON an object or, without a key, further members of this one.
  void add(std::string_view key, Content content);
  void put(std::string_view key, Content content);
  void show(Content content);
  void add(Document document);
  void put(Document document);

  // In words only: a line; a line after an empty one.
  void line(const std::string& text);
  void paragraph(const std::string& text);

  struct Part;
  const std::vector<Part>& parts() const { return parts_; }

 private:
  std::vector<Part> parts_;
};

// In JSON a list of the rows' objects, or one object with all their members.
enum class TableForm : std::uint8_t { list, object };

// What is above a table in words.
enum class TableFront : std::uint8_t { nothing, names, empty_line_and_names };

// JSON leaves out rows without members, words leave out rows without figures to show.
struct Table {
  std::vector<Document> rows = {};
  TableForm form = TableForm::list;
  TableFront front = TableFront::empty_line_and_names;
};

struct Document::Part {
  std::string_view key;  // empty: none
  SaidIn said_in;
  Content content;

  bool is_in_json() const { return said_in != SaidIn::words; }
  bool is_in_words() const { return said_in != SaidIn::json; }
  // The document, if its parts count as parts of this one.
  const Document* merged() const { return key.empty() ? std::get_if<Document>(&content) : nullptr; }
};

// A row that words leave out.
Document in_json_only(Document row);

// The figures of a document, or of a table's row, that words show.
std::vector<const NamedFigure*> shown_figures(const Document& document);

// The report in words, many lines.
std::string document_text(const Document& document);
std::string document_text(const Table& table);

// Reports as JSON text. The report as one object in one line, with its line end; a table by itself
// is a list. Invalid UTF-8 becomes U+FFFD; if a text has characters that a terminal would obey,
// all but ASCII is escaped.
std::string json_line(const Document& document);
std::string json_line(const Table& table);

// What a command prints of its report: the words or, with --json, the line.
enum class ReportForm : bool { words, json };

template <class Report>
std::string report_text(const Report& report, ReportForm form) {
  return form == ReportForm::json ? json_line(report) : document_text(report);
}

// The object of a report that becomes part of another one.
WrittenJson written_json(const Document& document);

}  // namespace tscatter::app
