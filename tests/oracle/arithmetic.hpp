// The oracle's own arithmetic: what one update does to one element, for every dtype and reduction,
// written after the decisions (docs/decisions) and IEEE 754. Elements are in native byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "oracle/int128.hpp"
#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"

namespace tscatter::oracle {

// A binary floating-point format of at most 64 bits.
struct RealFormat {
  int bits;
  int mantissa;  // stored bits

  int exponent_bits() const { return bits - mantissa - 1; }
  int bias() const { return (1 << (exponent_bits() - 1)) - 1; }
  std::uint64_t sign() const { return std::uint64_t{1} << (bits - 1); }
  std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent_bits()) - 1) << mantissa; }
};

// The format of a real dtype, or of a part of a complex one.
RealFormat format_of(DType dtype);

std::uint64_t load_pattern(const RealFormat& format, const std::byte* from);
void store_pattern(const RealFormat& format, std::uint64_t pattern, std::byte* into);

double decoded(const RealFormat& format, std::uint64_t pattern);
// Rounds to nearest even; too large a number becomes an infinity.
std::uint64_t encoded(const RealFormat& format, double value);

Int128 load_integer(DType dtype, const std::byte* from);
// Keeps the low bits.
void store_integer(DType dtype, Int128 value, std::byte* into);
bool fits(DType dtype, Int128 value);

bool is_defined(DType dtype, Reduction reduction);

// Whether it computes: its partial results are rounded, and may be kept in a wider type.
bool is_arithmetic(Reduction reduction);

// Whether it is a sum that is divided at the end: a mean, or sqrt_n.
bool divides(Reduction reduction);

// A real element as one of another real type, rounded once; the same bytes if that is its own.
std::vector<std::byte> converted(const ElementType& type, const std::byte* element,
                                 const ElementType& to);

// The number as an element, rounded to nearest even. REQUIRES: it fits the dtype.
std::vector<std::byte> element_of_number(const ElementType& type, const Number& number);

// The value that an element begins with where data's does not count; of min and max of reals the
// end of the finite numbers, or infinity. REQUIRES: is_defined, not none.
std::vector<std::byte> identity_of(const ElementType& type, Reduction reduction,
                                   bool is_infinite = false);

// The end of a mean, or of sqrt_n. REQUIRES: is_defined, divides.
void divide(const ElementType& type, Reduction reduction, std::byte* sum, std::int64_t count,
            MeanQuotient quotient = MeanQuotient::floor);

// element = reduction(element, update), of a mean the sum. REQUIRES: is_defined.
void combine(const ElementType& type, Reduction reduction, std::byte* element,
             const std::byte* update);

}  // namespace tscatter::oracle
