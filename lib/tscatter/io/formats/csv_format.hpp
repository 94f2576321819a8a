// The row of tables of numbers: .csv, .tsv and .txt.
#pragma once

#include "tscatter/io/formats/format.hpp"

namespace tscatter {

extern const Format csv_format;

}  // namespace tscatter
