// ElementValue: one element as JSON and literals write it, and its bytes. An integer must fit, and
// a finite number must not become an infinity: conversions refuse both. Integers and float64 values
// are rounded to nearest even, once (a decimal fraction is a float64 first, as in NumPy).
#pragma once

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "tscatter/core/dtype.hpp"

namespace tscatter {

// An integer beyond 64 bits, as the nearest double.
struct HugeInteger {
  double value;
};

using ElementValue =
    std::variant<bool, std::int64_t, std::uint64_t, HugeInteger, double, std::complex<double>>;

// Values written as text become little-endian elements on every machine, so that they give the same
// file everywhere.
inline ElementType type_of_text(DType dtype) { return ElementType::of(dtype, std::endian::little); }

// The value of `text` in this dtype: an integer 0 that was written -0 is -0.0 in a real one.
ElementValue signed_zero(const ElementValue& value, std::string_view text, DType dtype);

// Writes the bytes of `value` as one element of `type` into `into`. Returns false and leaves `into`
// alone if the value does not fit. REQUIRES: the dtype is not opaque; `into` has the element's
// size.
bool encode(const ElementValue& value, const ElementType& type, std::span<std::byte> into);

// The element as JSON has it, whose floats are float64: a narrower float becomes the float64
// nearest to its shortest decimal, 0.1 and not 0.10000000149011612. REQUIRES: as for json_text.
ElementValue decode(std::span<const std::byte> element, DType dtype);

// The shortest text that reads back as the same element, as JSON: 3, 0.1, 1e+20, "NaN",
// "-Infinity", true, [1.0, 2.0]. REQUIRES: as for encode; `element` is native.
std::string json_text(std::span<const std::byte> element, DType dtype);

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
