#include <algorithm>
#include <bit>

#include "tscatter/core/fail.hpp"
#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {
namespace {

using Word = std::uint64_t;

// The layout of a real number, or of one part of a complex one.
struct RealFormat {
  unsigned width;     // bits
  unsigned fraction;  // bits
  Word bias;

  Word exponent(Word biased) const { return biased << fraction; }
  Word mask() const { return (Word{1} << fraction) - 1; }
  Word infinity() const { return exponent(2 * bias + 1); }
  Word sign(Word word) const { return (word & 1U) << (width - 1); }
};

RealFormat format_of(DType dtype) {
  if (dtype == DType::float16) return {.width = 16, .fraction = 10, .bias = 15};
  if (dtype == DType::bfloat16) return {.width = 16, .fraction = 7, .bias = 127};
  const bool is_single = dtype == DType::float32 || dtype == DType::complex64;
  if (is_single) return {.width = 32, .fraction = 23, .bias = 127};
  return {.width = 64, .fraction = 52, .bias = 1023};
}

// The pattern of a small integer, |value| below 2^fraction.
Word integer_as_real(const RealFormat& format, std::int64_t value) {
  if (value == 0) return 0;
  const Word magnitude = static_cast<Word>(value < 0 ? -value : value);
  const auto exponent = static_cast<unsigned>(std::bit_width(magnitude)) - 1;
  const Word fraction = (magnitude << (format.fraction - exponent)) & format.mask();
  return format.sign(value < 0 ? 1 : 0) | format.exponent(format.bias + exponent) | fraction;
}

// In [1/2, 2), with random bits in the whole significand.
Word rounding_real(const RealFormat& format, Word word) {
  const Word exponent = format.bias - ((word >> 1U) & 1U);
  return format.sign(word) | format.exponent(exponent) | ((word >> 8U) & format.mask());
}

// Factors so large or small that two of them leave the range, and a third returns to it.
Word swamp_factor(const RealFormat& format, Word word) {
  const Word shift = format.bias * 5 / 8;
  const Word exponent = ((word >> 1U) & 1U) == 0 ? format.bias - shift : format.bias + shift;
  return format.sign(word) | format.exponent(exponent) | ((word >> 8U) & format.mask());
}

// Terms of three magnitudes. The largest are powers of two, which cancel.
Word swamp_term(const RealFormat& format, Word word) {
  const Word magnitude = ((word >> 1U) & 127U) % 3;
  const std::array<Word, 3> steps{0, format.fraction / 2, format.fraction + 1};
  const Word fraction = magnitude == 2 ? 0 : (word >> 8U) & format.mask();
  return format.sign(word) | format.exponent(format.bias - 4 + steps[magnitude]) | fraction;
}

Word special_real(const RealFormat& format, Word word) {
  const Word smallest_normal = format.mask() + 1;
  const std::array<Word, 8> table{
      0,
      1,
      format.mask(),
      smallest_normal,
      format.infinity() - 1,
      format.infinity(),
      format.infinity() | (smallest_normal >> 1U),
      format.exponent(format.bias),
  };
  const Word choice = (word >> 1U) & 15U;
  return choice < 8 ? format.sign(word) | table[choice] : rounding_real(format, word);
}

constexpr std::int64_t largest_small = 8;

// In [-bound, bound]; of unsigned dtypes in [0, 2 bound].
std::int64_t small_integer(Word word, std::int64_t bound, DTypeKind kind) {
  const auto value = static_cast<std::int64_t>(word % static_cast<Word>(2 * bound + 1));
  return kind == DTypeKind::unsigned_integer ? value : value - bound;
}

Word special_integer(unsigned width, Word word, DTypeKind kind) {
  const Word half = Word{1} << (width - 1);
  const std::array<Word, 8> table{0, 1, half - 1, half - 2, half, half + 1, 2 * half - 1, 2};
  const Word choice = (word >> 1U) & 15U;
  if (choice < 8) return table[choice];
  return static_cast<Word>(small_integer(word >> 8U, largest_small, kind));
}

// One number of a tensor: an element, or one part of a complex one.
struct Place {
  Word index;    // of the number
  Word element;  // it belongs to
  Word word;     // of the number
};

class Values {
 public:
  Values(const Draws& draws, Stream stream, const ValuesWanted& wanted)
      : draws_{draws},
        stream_{stream},
        wanted_{wanted},
        kind_{info(wanted.dtype).kind},
        parts_{kind_ == DTypeKind::complex ? 2U : 1U},
        size_{info(wanted.dtype).size / parts_},
        format_{format_of(wanted.dtype)},
        offset_{draws.word(stream, 0)} {}

  std::vector<std::byte> draw(std::int64_t count) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(count) * parts_ * size_);
    for (std::size_t i = 0; i < bytes.size() / size_; ++i) {
      const Word pattern = number({.index = i, .element = i / parts_, .word = word(i)});
      for (std::size_t byte = 0; byte < size_; ++byte) {
        bytes[i * size_ + byte] = static_cast<std::byte>((pattern >> (8 * byte)) & 0xFFU);
      }
    }
    return bytes;
  }

 private:
  Word word(Word i) const { return draws_.word(stream_, i); }

  Word number(const Place& place) const {
    if (kind_ == DTypeKind::boolean) return place.word & 1U;
    if (wanted_.set == ValueSet::full) return any_pattern(place);
    const bool is_real = kind_ == DTypeKind::real || kind_ == DTypeKind::complex;
    return is_real ? real(place) : integer(place);
  }

  // Each pattern once in every 2^bits elements, for types with 8 or 16 bits.
  Word any_pattern(const Place& place) const {
    constexpr Word odd = 40503;
    return size_ > 2 ? place.word : place.index * odd + offset_;
  }

  Word integer(const Place& place) const {
    if (wanted_.set == ValueSet::special) {
      return special_integer(static_cast<unsigned>(8 * size_), place.word, kind_);
    }
    return static_cast<Word>(small_integer(place.word, largest_small, kind_));
  }

  Word real(const Place& place) const {
    const bool is_product = wanted_.reduction == Reduction::prod;
    switch (wanted_.set) {
      case ValueSet::rounding: return rounding_real(format_, place.word);
      case ValueSet::swamp:
        return is_product ? swamp_factor(format_, place.word) : swamp_term(format_, place.word);
      case ValueSet::special: return special_real(format_, place.word);
      case ValueSet::exact:
      case ValueSet::full: return is_product ? exact_factor(place) : exact_term(place.word);
    }
    unreachable();
  }

  // The sum of data and a term for each entry is an integer that fits the significand.
  Word exact_term(Word word) const {
    const std::int64_t held = std::int64_t{1} << (format_.fraction + 1);
    const std::int64_t bound = std::clamp<std::int64_t>(held / (wanted_.entries + 1), 1, 8);
    return integer_as_real(format_, small_integer(word, bound, DTypeKind::signed_integer));
  }

  // A signed power of two; both parts of a complex number have the same.
  Word exact_factor(const Place& place) const {
    const bool is_scaled = place.element < static_cast<Word>(wanted_.scaled);
    const Word shift = is_scaled ? (word(place.element * parts_) >> 8U) % 3 : 1;
    return format_.sign(place.word) | format_.exponent(format_.bias + shift - 1);
  }

  const Draws& draws_;
  Stream stream_;
  const ValuesWanted& wanted_;
  DTypeKind kind_;
  std::size_t parts_;  // numbers in an element
  std::size_t size_;   // bytes of a number
  RealFormat format_;
  Word offset_;
};

}  // namespace

bool fits(ValueSet set, DType dtype) {
  const DTypeKind kind = info(dtype).kind;
  if (kind == DTypeKind::opaque) return false;
  if (kind == DTypeKind::real || kind == DTypeKind::complex) return true;
  if (set == ValueSet::special) return kind != DTypeKind::boolean;
  return set == ValueSet::exact || set == ValueSet::full;
}

std::vector<std::byte> draw_values(const Draws& draws, Stream stream, const ValuesWanted& wanted,
                                   std::int64_t count) {
  return Values(draws, stream, wanted).draw(count);
}

}  // namespace tscatter::generate
