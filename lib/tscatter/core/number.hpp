// Numbers that are typed as text, and their values as elements of a dtype.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"

namespace tscatter {

// "7", "-0.5", "1e9", "inf", "-inf", "nan"; nullopt for any other text.
std::optional<Number> number_of(std::string_view text);

// What number_of() reads back.
std::string to_string(const Number& number);

// The number as an element of the dtype has it: rounded to nearest even where there are fractions,
// the real part of a complex element, 0 or 1 of bool. nullopt if it does not fit, or the dtype is
// opaque.
std::optional<Number> fitted(const Number& number, DType dtype);

// The element, in native byte order, as float64, rounded; nullopt of a dtype without order.
std::optional<double> to_double(DType dtype, const std::byte* element);

}  // namespace tscatter
