// Tensors as tables of numbers, one row a line. Form and rules: docs/formats.md, csv.*
#pragma once

#include <span>

#include "tscatter/core/error.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/formats/csv_cells.hpp"

namespace tscatter {

// Reads the text twice, in pieces: once for shape and dtype, once for the elements. Throws Error
// (csv.f1 to csv.f6).
Tensor csv_tensor(const Source& text, Separator separator, const FormatReading& reading);

std::span<const Rule> csv_rules();

}  // namespace tscatter
