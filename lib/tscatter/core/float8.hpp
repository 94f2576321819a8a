// The floats of 8 bits: opaque elements of one byte with a name. They are moved like other opaque
// elements; besides, their values are known.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "tscatter/core/dtype.hpp"

namespace tscatter {

// What the codes at the end of the range mean.
enum class Float8Ends : std::uint8_t {
  ieee,           // infinities and NaNs, as in IEEE 754
  finite,         // NaN is the code of all ones, with either sign: "fn"
  unsigned_zero,  // NaN is the code of a negative zero: "fnuz"
  exponent,       // no sign and no fraction; NaN is the code of all ones
};

struct Float8 {
  std::string_view name;   // as ml_dtypes spells it
  std::string_view descr;  // of the ElementType
  int exponent_bits;
  int fraction_bits;
  int bias;
  Float8Ends ends;
};

std::span<const Float8> float8_table();

// nullptr if the type is none of them.
const Float8* float8_of(const ElementType& type);
const Float8* float8_named(std::string_view name);  // without regard to case

ElementType element_type_of(const Float8& format);

// The values of all codes, exactly. Different NaNs have different bits: one with a fraction keeps
// it in front, the others are quiet.
std::array<float, 256> float8_values(const Float8& format);

// What becomes of a number beyond the largest finite one, and of an infinity.
enum class Float8Overflow : bool {
  ends,       // infinity where the format has it, else NaN
  saturated,  // the largest finite number
};

// Converts numbers to codes: rounds to the nearest, ties to the even significand. Numbers below
// zero become NaN if the format has no sign, and so does zero if it has no zero.
//
// float8_e4m3fn: 0.1 -> 0x1D, 464 -> 0x7E (448), 465 -> 0x7F (NaN), -0.0 -> 0x80
class Float8Encoder {
 public:
  Float8Encoder(const Float8& format, Float8Overflow overflow);

  std::uint8_t operator()(double number) const;

 private:
  int rounded(double magnitude) const;
  int beyond() const;
  int nan() const;

  const Float8& format_;
  Float8Overflow overflow_;
  int last_;                          // the code of the largest finite number
  std::array<double, 255> middle_{};  // between a code and the next, up to last_
};

}  // namespace tscatter
