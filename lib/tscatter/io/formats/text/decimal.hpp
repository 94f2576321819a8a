// Numbers as literals and tables of numbers write them. Not part of the installed interface.
#pragma once

#include <optional>
#include <string_view>

#include "tscatter/io/formats/text/element_value.hpp"

namespace tscatter {

// 1.5, +2, 1e3, nan, inf, Infinity. Too small a number becomes 0; nullopt for one beyond float64.
std::optional<double> parse_real(std::string_view text);

// The same; an integer is exact. One beyond 64 bits is a HugeInteger.
std::optional<ElementValue> parse_number(std::string_view text);

// The integer that 8.0, 2.50e1 or 7. writes, digit by digit as parse_number() reads it; nullopt
// where something is left behind the point, or for more than 20 digits.
std::optional<ElementValue> parse_whole(std::string_view text);

// Whether it is a finite number, but one beyond float64: 1e400.
bool is_beyond_float64(std::string_view text);

}  // namespace tscatter
