#include <algorithm>
#include <array>

#include "tscatter/core/characters.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"
#include "tscatter/io/formats/text/csv.hpp"

namespace tscatter {
namespace {

constexpr std::array<std::string_view, 5> other_endings{".tsv", ".txt", ".CSV", ".TSV", ".TXT"};

// Not .npy, and not a list or an object as JSON.
bool begins_as_csv(std::span<const std::byte> first_bytes) {
  const std::string_view text(reinterpret_cast<const char*>(first_bytes.data()),
                              first_bytes.size());
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const bool is_json =
      begin != std::string_view::npos && (text[begin] == '[' || text[begin] == '{');
  return !is_json && !begins_as_npy(first_bytes);
}

struct TableKind {
  std::string_view name;  // "csv", as in csv:PATH; after a dot, the ending of a file
  Separator separator;
};

constexpr std::array table_kinds{TableKind{"csv", Separator::comma},
                                 TableKind{"tsv", Separator::tab},
                                 TableKind{"txt", Separator::blanks}};

// By the ending of a file's name; nullptr if it is none.
const TableKind* kind_of_file(std::string_view file) {
  const auto* const found = std::ranges::find_if(table_kinds, [&](const TableKind& kind) {
    const std::size_t dot = file.size() - std::min(file.size(), kind.name.size() + 1);
    return file.substr(dot).starts_with('.') && ends_with_ignoring_case(file, kind.name);
  });
  return found == table_kinds.end() ? nullptr : found;
}

bool names_archive(std::string_view file) {
  return std::ranges::any_of(formats(), [&](const Format* format) {
    return format->has_members() && format->has_ending(file);
  });
}

// The part is the kind of the table, "csv", and after a colon its columns. `rest`: what stands
// behind the file; nullopt if it is a colon alone.
std::optional<MemberName> part_of(const TableKind& kind, std::string_view file,
                                  std::string_view rest) {
  if (file.empty() || rest == ":") return std::nullopt;
  return MemberName{.format = &csv_format,
                    .archive = std::string(file),
                    .member = std::string(kind.name) + std::string(rest)};
}

// csv:PATH, csv:PATH:COLUMNS, PATH.csv:COLUMNS
std::optional<MemberName> split_table_word(std::string_view word) {
  for (const TableKind& kind : table_kinds) {
    const std::size_t size = kind.name.size();
    if (!word.starts_with(kind.name) || !word.substr(size).starts_with(':')) continue;
    const std::string_view rest = word.substr(size + 1);
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    return part_of(kind, rest.substr(0, colon), rest.substr(colon));
  }
  for (std::size_t colon = end_of_path(word); colon != std::string_view::npos;
       colon = end_of_path(word, colon + 1)) {
    const std::string_view file = word.substr(0, colon);
    if (names_archive(file)) break;
    if (const TableKind* kind = kind_of_file(file)) return part_of(*kind, file, word.substr(colon));
  }
  return std::nullopt;
}

// How a file is read as a table: its separator, and the columns alone as the part of it.
struct TableReading {
  Separator separator;
  FormatReading reading;
};

TableReading table_reading(const FormatReading& reading) {
  TableReading table{.separator = Separator::comma, .reading = reading};
  std::string& part = table.reading.part;
  const std::size_t colon = std::min(part.find(':'), part.size());
  const auto* named = std::ranges::find(table_kinds, part.substr(0, colon), &TableKind::name);
  const TableKind* const kind = part.empty() ? kind_of_file(reading.name) : named;
  if (kind != nullptr) table.separator = kind->separator;
  part.erase(0, colon + 1);
  return table;
}

Tensor open_table(const std::shared_ptr<const Source>& file, const FormatReading& reading) {
  const TableReading table = table_reading(reading);
  return csv_tensor(*file, table.separator, table.reading);
}

Tensor open_piped_table(Spool& spool, const File& pipe, const FormatReading& reading) {
  const TableReading table = table_reading(reading);
  return csv_tensor_in_pipe(spool, pipe, table.separator, table.reading);
}

}  // namespace

std::vector<std::string> table_columns(const Source& file, const FormatReading& reading) {
  const TableReading table = table_reading(reading);
  return column_words(file, table.separator, table.reading);
}

constinit const Format csv_format{
    .name = "csv",
    .ending = ".csv",
    .other_endings = other_endings,
    .ending_role = EndingRole::required,
    .begins_as = begins_as_csv,
    .may_be_other = true,
    .open_pipe = open_piped_table,
    .open = open_table,
    .split = split_table_word,
    .rules = csv_rules,
    .help =
        "with .tsv and .txt: a table of numbers, one row a line; one column is rank 1, more are "
        "rank 2. Commas (or semicolons) separate the cells of a .csv file, tabs those of a .tsv "
        "file, blanks those of a .txt file. Comments (#) and a first line of names are passed "
        "over, and a table without rows is empty. x.csv:id reads a column by its name, x.csv:2 by "
        "its "
        "number from 1, x.csv:row,col and x.csv:2-4 several; the others may be any text. csv:-, "
        "csv:PATH and csv:PATH:id (tsv:, txt:) read a pipe or a file of another name. Read, not "
        "written.",
    .operands = "path.csv, path.tsv, path.txt, path.csv:id, csv:-",
    .operands_help =
        "numbers, one row a line: one column is rank 1, more are rank 2; :id, :2, :row,col or "
        ":2-4 are columns of it, csv:- and csv:PATH a table of any other name",
};

}  // namespace tscatter
