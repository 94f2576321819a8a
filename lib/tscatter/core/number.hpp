// Number: a number that is given as a word, and what elements of a dtype make of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tscatter/core/dtype.hpp"

namespace tscatter {

// Integers are exact up to 64 bits.
using Number = std::variant<std::int64_t, std::uint64_t, double>;

// "7", "-0.5", "1e9", "inf", "-inf", "nan"; nullopt for any other text.
std::optional<Number> number_of(std::string_view text);

// What number_of() reads back.
std::string to_string(const Number& number);

// The number as an element of the dtype has it: rounded to nearest even where there are fractions,
// the real part of a complex element, 0 or 1 of bool. nullopt if it does not fit, or the dtype is
// opaque.
std::optional<Number> fitted(const Number& number, DType dtype);

}  // namespace tscatter
