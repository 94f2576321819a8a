// What a cell of a table of numbers says: a number, a missing value, a name of a header, an error
// of a spreadsheet.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tscatter/io/formats/text/csv_cells.hpp"
#include "tscatter/io/formats/text/element_value.hpp"

namespace tscatter {

// 5, -1.5e3, nan, inf, and what Visual C++ writes for the last two: 1.#QNAN, -nan(ind), -1.#INF.
std::optional<ElementValue> number_in_cell(std::string_view cell);

// An empty cell, NA, null, None: pandas' words, without regard to case. (nan is a number.)
bool is_missing(std::string_view cell);

// Whether it can be a name in a header: it begins with a letter or _, and is no value that
// programs write into tables (NA, true, nan(1), e5).
bool is_name(std::string_view cell);

// Whether a spreadsheet writes it for a cell that it cannot compute: #NV, #DIV/0!, ####.
bool is_error_word(std::string_view word, Separator separator);

// What to do about a cell that is no number; "" where nothing is known.
std::string_view hint_on_cell(std::string_view cell, Separator separator);

// A cell as messages show it.
std::string shown_cell(std::string_view cell);

}  // namespace tscatter
