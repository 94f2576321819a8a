// Tensors as tables of numbers, one row a line. Form and rules: docs/formats.md, csv.*
#pragma once

#include <span>
#include <string>

#include "tscatter/core/error.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/formats/text/csv_cells.hpp"

namespace tscatter {

// Reads the text twice, in pieces: once for shape and dtype, once for the elements. reading.part:
// the columns that are read, as chosen_columns() takes them; empty: all. Throws Error (csv.f1 to
// csv.f10).
Tensor csv_tensor(const Source& text, Separator separator, const FormatReading& reading);

// The same for a pipe, whose first bytes are in the spool and whose rest is added to it: what is no
// table is refused where it goes wrong, however long the rest is.
Tensor csv_tensor_in_pipe(Spool& text, const File& pipe, Separator separator,
                          const FormatReading& reading);

// The first line of a table, "id, price", or its columns that are read, if it was taken for a
// header; "" if not, and of any other tensor.
std::string table_header(const Tensor& tensor);

std::span<const Rule> csv_rules();

}  // namespace tscatter
