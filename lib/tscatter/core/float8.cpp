#include "tscatter/core/float8.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "tscatter/core/ascii.hpp"

namespace tscatter {
namespace {

constexpr std::array<Float8, 5> table{{
    {"float8_e4m3fn", "'float8_e4m3fn'", 4, 3, 7, Float8Ends::finite},
    {"float8_e5m2", "'float8_e5m2'", 5, 2, 15, Float8Ends::ieee},
    {"float8_e8m0fnu", "'float8_e8m0fnu'", 8, 0, 127, Float8Ends::exponent},
    {"float8_e4m3fnuz", "'float8_e4m3fnuz'", 4, 3, 8, Float8Ends::unsigned_zero},
    {"float8_e5m2fnuz", "'float8_e5m2fnuz'", 5, 2, 16, Float8Ends::unsigned_zero},
}};

constexpr float quiet_nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

// With the code's fraction in front, as wider formats have it.
float nan_with(int fraction, int fraction_bits) {
  constexpr int float_fraction_bits = std::numeric_limits<float>::digits - 1;
  const auto payload = static_cast<std::uint32_t>(fraction)
                       << (float_fraction_bits - fraction_bits);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(infinity) | payload);
}

// Of a code without its sign.
float magnitude_of(const Float8& format, int code) {
  const int fraction = code & ((1 << format.fraction_bits) - 1);
  const int exponent = code >> format.fraction_bits;
  const int last = (1 << format.exponent_bits) - 1;
  if (format.ends == Float8Ends::exponent)
    return exponent == last ? quiet_nan : std::ldexp(1.0F, exponent - format.bias);
  if (format.ends == Float8Ends::ieee && exponent == last)
    return fraction == 0 ? infinity : nan_with(fraction, format.fraction_bits);
  if (format.ends == Float8Ends::finite && code == 0x7F) return quiet_nan;
  const int hidden = exponent == 0 ? 0 : 1 << format.fraction_bits;
  const int scale = std::max(exponent, 1) - format.bias - format.fraction_bits;
  return std::ldexp(static_cast<float>(fraction + hidden), scale);
}

float value_of(const Float8& format, int code) {
  if (format.ends == Float8Ends::exponent) return magnitude_of(format, code);
  if (format.ends == Float8Ends::unsigned_zero && code == 0x80) return quiet_nan;
  const float magnitude = magnitude_of(format, code & 0x7F);
  return (code & 0x80) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::span<const Float8> float8_table() { return table; }

const Float8* float8_of(const ElementType& type) {
  if (type.dtype != DType::opaque || type.size != 1) return nullptr;
  const auto* const found = std::ranges::find(table, type.descr, &Float8::descr);
  return found == table.end() ? nullptr : found;
}

const Float8* float8_named(std::string_view name) {
  const auto* const found = std::ranges::find_if(
      table, [&](const Float8& each) { return equal_ignoring_case(each.name, name); });
  return found == table.end() ? nullptr : found;
}

ElementType element_type_of(const Float8& format) {
  return {.dtype = DType::opaque,
          .size = 1,
          .byte_order = std::endian::little,
          .descr = std::string(format.descr)};
}

std::array<float, 256> float8_values(const Float8& format) {
  std::array<float, 256> values{};
  for (int code = 0; code < 256; ++code)
    values[static_cast<std::size_t>(code)] = value_of(format, code);
  return values;
}

}  // namespace tscatter
