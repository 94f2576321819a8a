#include "tscatter/core/float8.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

constexpr std::array<Float8, 8> table{{
    {"float8_e4m3fn", "'float8_e4m3fn'", 4, 3, 7, Float8Ends::finite},
    {"float8_e5m2", "'float8_e5m2'", 5, 2, 15, Float8Ends::ieee},
    {"float8_e8m0fnu", "'float8_e8m0fnu'", 8, 0, 127, Float8Ends::exponent},
    {"float8_e4m3fnuz", "'float8_e4m3fnuz'", 4, 3, 8, Float8Ends::unsigned_zero},
    {"float8_e5m2fnuz", "'float8_e5m2fnuz'", 5, 2, 16, Float8Ends::unsigned_zero},
    {"float8_e3m4", "'float8_e3m4'", 3, 4, 3, Float8Ends::ieee},
    {"float8_e4m3", "'float8_e4m3'", 4, 3, 7, Float8Ends::ieee},
    {"float8_e4m3b11fnuz", "'float8_e4m3b11fnuz'", 4, 3, 11, Float8Ends::unsigned_zero},
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

// The value of a code without its sign.
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

// REQUIRES: the format has one.
int code_of_infinity(const Float8& format) {
  return ((1 << format.exponent_bits) - 1) << format.fraction_bits;
}

int last_finite(const Float8& format) {
  switch (format.ends) {
    case Float8Ends::ieee: return code_of_infinity(format) - 1;
    case Float8Ends::finite: return 0x7E;
    case Float8Ends::unsigned_zero: return 0x7F;
    case Float8Ends::exponent: return 0xFE;
  }
  unreachable();
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

Float8Encoder::Float8Encoder(const Float8& format, Float8Overflow overflow)
    : format_{format}, overflow_{overflow}, last_{last_finite(format)} {
  const auto value = [&](int code) { return static_cast<double>(magnitude_of(format, code)); };
  for (int code = 0; code < last_; ++code)
    middle_[static_cast<std::size_t>(code)] = (value(code) + value(code + 1)) / 2;
  // The number that would come next, if the format went on.
  const bool has_fraction = format.fraction_bits > 0;
  const double step = has_fraction ? value(last_) - value(last_ - 1) : value(last_);
  middle_[static_cast<std::size_t>(last_)] = value(last_) + step / 2;
}

std::uint8_t Float8Encoder::operator()(double number) const {
  const bool is_negative = std::signbit(number);
  const bool has_sign = format_.ends != Float8Ends::exponent;
  const bool is_of_range = has_sign || number > 0;
  const int code = std::isnan(number) || !is_of_range ? nan() : rounded(std::abs(number));
  // What is the only NaN, or the only zero, has no sign.
  const bool is_unsigned = format_.ends == Float8Ends::unsigned_zero && (code & 0x7F) == 0;
  const int sign = is_negative && has_sign && !is_unsigned ? 0x80 : 0;
  return static_cast<std::uint8_t>(code | sign);
}

// A significand of one bit is odd, so that the next power of two is even.
int Float8Encoder::rounded(double magnitude) const {
  const auto* const end = middle_.begin() + last_ + 1;
  const auto* const found = std::lower_bound(middle_.begin(), end, magnitude);
  auto code = static_cast<int>(found - middle_.begin());
  const bool is_even = format_.fraction_bits > 0 && code % 2 == 0;
  if (found != end && *found == magnitude && !is_even) ++code;
  return code > last_ ? beyond() : code;
}

int Float8Encoder::beyond() const {
  if (overflow_ == Float8Overflow::saturated) return last_;
  return format_.ends == Float8Ends::ieee ? last_ + 1 : nan();
}

int Float8Encoder::nan() const {
  switch (format_.ends) {
    case Float8Ends::ieee: return code_of_infinity(format_) | 1 << (format_.fraction_bits - 1);
    case Float8Ends::finite: return 0x7F;
    case Float8Ends::unsigned_zero: return 0x80;
    case Float8Ends::exponent: return 0xFF;
  }
  unreachable();
}

}  // namespace tscatter
