#include <algorithm>
#include <array>

#include "tscatter/io/formats/format_rows.hpp"
#include "tscatter/io/formats/npy/npy_header.hpp"
#include "tscatter/io/formats/text/csv_tensor.hpp"

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

Separator separator_of(std::string_view name) {
  if (name.ends_with(".tsv") || name.ends_with(".TSV")) return Separator::tab;
  if (name.ends_with(".txt") || name.ends_with(".TXT")) return Separator::blanks;
  return Separator::comma;
}

Tensor open_table(const std::shared_ptr<const Source>& file, const FormatReading& reading) {
  return csv_tensor(*file, separator_of(reading.name), reading);
}

Tensor open_piped_table(Spool& spool, const File& pipe, const FormatReading& reading) {
  return csv_tensor_in_pipe(spool, pipe, separator_of(reading.name), reading);
}

}  // namespace

constinit const Format csv_format{
    .name = "csv",
    .ending = ".csv",
    .other_endings = other_endings,
    .ending_role = EndingRole::required,
    .begins_as = begins_as_csv,
    .may_be_other = true,
    .open_pipe = open_piped_table,
    .open = open_table,
    .rules = csv_rules,
    .help =
        "with .tsv and .txt: a table of numbers, one row a line; one column is rank 1, more are "
        "rank 2. Commas (or semicolons) separate the cells of a .csv file, tabs those of a .tsv "
        "file, blanks those of a .txt file. Comments (#) and a first line of names are passed "
        "over, and a table without rows is empty. Read, not written.",
    .operands = "path.csv, path.tsv, path.txt",
    .operands_help = "numbers, one row a line: one column is rank 1, more are rank 2",
};

}  // namespace tscatter
