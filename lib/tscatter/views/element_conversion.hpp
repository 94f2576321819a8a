// Elements of one dtype as elements of another: the one table of conversions, for `convert --to`
// and for updates that are cast.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/float8.hpp"

namespace tscatter {

// What a conversion did to a value; a complex number has the worse one of its parts.
enum class ConversionFit : std::uint8_t {
  exact,       // the same value; a NaN has its payload, or is a float8
  rounded,     // the nearest one; an integer lost its fraction, a NaN a part of its payload
  overflowed,  // beyond the dtype: an infinity, or NaN in a float8 without infinities
  lost,        // an integer that wrapped around, a number, NaN or infinity that no integer is, an
               // imaginary part, for bool what is not 0 or 1
};

struct ConversionCounts {
  std::int64_t rounded = 0;
  std::int64_t overflowed = 0;
  std::int64_t lost = 0;

  void add(ConversionFit fit);
  void add(const ConversionCounts& other);
  // The worst fit that was counted.
  ConversionFit worst() const;
};

// How a real number becomes an integer.
enum class ToInteger : std::uint8_t {
  nearest,      // of two the even one
  toward_zero,  // as C and NumPy do
};

// Between numeric dtypes and float8, every pair of them. Each value is rounded once, to nearest
// even. What is lost has a value, too: an integer keeps its low bits, a real number beyond an
// integer dtype becomes its end and NaN 0, an imaginary part goes, and what is not 0 is true.
class ElementConverter {
 public:
  // REQUIRES: both types are numeric or float8.
  ElementConverter(const ElementType& from, const ElementType& to,
                   ToInteger to_integer = ToInteger::toward_zero,
                   Float8Overflow overflow = Float8Overflow::ends);

  // Both in native byte order, and of the same number of elements.
  ConversionCounts operator()(std::span<const std::byte> elements, std::span<std::byte> into) const;

 private:
  ConversionCounts decoded(std::span<const std::byte> codes, std::span<std::byte> into) const;
  template <class From>
  ConversionCounts converted(std::span<const From> elements, std::span<std::byte> into) const;

  std::size_t from_size_;
  std::size_t to_size_;
  DType from_;  // opaque: float8
  DType to_;
  ToInteger to_integer_;
  std::optional<std::array<float, 256>> values_;  // of float8, where that is what is converted
  std::optional<Float8Encoder> encoder_;
  std::array<float, 256> codes_{};  // the values of what the encoder gives
};

}  // namespace tscatter
