#include "oracle/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace tscatter::oracle {
namespace {

// Where the low `size` bytes of a word lie.
std::size_t low_bytes(std::size_t size) {
  return std::endian::native == std::endian::little ? 0 : sizeof(std::uint64_t) - size;
}

std::uint64_t load_word(const std::byte* from, std::size_t size) {
  std::array<std::byte, sizeof(std::uint64_t)> bytes{};
  std::copy(from, from + size, bytes.data() + low_bytes(size));
  return std::bit_cast<std::uint64_t>(bytes);
}

void store_word(std::uint64_t word, std::byte* into, std::size_t size) {
  const auto bytes = std::bit_cast<std::array<std::byte, sizeof(std::uint64_t)>>(word);
  const std::byte* const low = bytes.data() + low_bytes(size);
  std::copy(low, low + size, into);
}

bool is_unsigned(DType dtype) { return info(dtype).kind == DTypeKind::unsigned_integer; }
int width_of(DType dtype) { return static_cast<int>(info(dtype).size) * 8; }

// What a reduction does in one step, whatever its family.
enum class Step : std::uint8_t {
  set,
  add,
  subtract,
  multiply,
  least,
  greatest,
  both_bits,
  any_bits,
  odd_bits
};

Step step_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::none: return Step::set;
    case Reduction::mean:
    case Reduction::sqrt_n:
    case Reduction::sum: return Step::add;
    case Reduction::sub: return Step::subtract;
    case Reduction::prod: return Step::multiply;
    case Reduction::min:
    case Reduction::min_update:
    case Reduction::min_propagate:
    case Reduction::min_ieee:
    case Reduction::min_ignore: return Step::least;
    case Reduction::max:
    case Reduction::max_update:
    case Reduction::max_propagate:
    case Reduction::max_ieee:
    case Reduction::max_ignore: return Step::greatest;
    case Reduction::bit_and: return Step::both_bits;
    case Reduction::bit_or: return Step::any_bits;
    case Reduction::bit_xor: return Step::odd_bits;
  }
  std::abort();
}

void combine_booleans(Reduction reduction, std::byte* element, const std::byte* update) {
  const bool x = *element != std::byte{0};
  const bool y = *update != std::byte{0};
  bool result = false;
  switch (step_of(reduction)) {
    case Step::set: std::abort();
    case Step::subtract:
    case Step::odd_bits: result = x != y; break;
    case Step::add:
    case Step::greatest:
    case Step::any_bits: result = x || y; break;
    case Step::multiply:
    case Step::least:
    case Step::both_bits: result = x && y; break;
  }
  *element = std::byte{static_cast<unsigned char>(result)};
}

// Of each of the low 64 bits, whether at least `least` of the two have it.
Int128 by_bit(UInt128 x, UInt128 y, int least) {
  Int128 result = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const int present = static_cast<int>((x >> bit) % 2) + static_cast<int>((y >> bit) % 2);
    result = result * 2 + (present >= least ? 1 : 0);
  }
  return result;
}

void combine_integers(DType dtype, Reduction reduction, std::byte* element,
                      const std::byte* update) {
  const Int128 x = load_integer(dtype, element);
  const Int128 y = load_integer(dtype, update);
  const auto wide_x = static_cast<UInt128>(x);
  const auto wide_y = static_cast<UInt128>(y);
  Int128 result = 0;
  switch (step_of(reduction)) {
    case Step::set: std::abort();
    case Step::add: result = static_cast<Int128>(wide_x + wide_y); break;
    case Step::subtract: result = static_cast<Int128>(wide_x - wide_y); break;
    case Step::multiply: result = static_cast<Int128>(wide_x * wide_y); break;
    case Step::least: result = y < x ? y : x; break;
    case Step::greatest: result = y > x ? y : x; break;
    case Step::both_bits: result = by_bit(wide_x, wide_y, 2); break;
    case Step::any_bits: result = by_bit(wide_x, wide_y, 1); break;
    case Step::odd_bits: result = by_bit(wide_x, wide_y, 1) - by_bit(wide_x, wide_y, 2); break;
  }
  store_integer(dtype, result, element);
}

template <class T>
T calculated(Reduction reduction, T x, T y) {
  switch (step_of(reduction)) {
    case Step::add: return x + y;
    case Step::subtract: return x - y;
    case Step::multiply: return x * y;
    case Step::set:
    case Step::least:
    case Step::greatest:
    case Step::both_bits:
    case Step::any_bits:
    case Step::odd_bits: break;
  }
  std::abort();
}

// Whether the reduction takes x or y as it is, by their order.
bool selects(Reduction reduction) {
  const Step step = step_of(reduction);
  return step == Step::least || step == Step::greatest;
}

// Whether the reduction takes each bit alone.
bool is_of_bits(Reduction reduction) {
  const Step step = step_of(reduction);
  return step == Step::both_bits || step == Step::any_bits || step == Step::odd_bits;
}

// Whether min or max leaves y, by the formula of the family; NaN compare false.
bool takes_update(Reduction reduction, double x, double y) {
  const bool is_nan_in_x = std::isnan(x);
  const bool is_nan_in_y = std::isnan(y);
  const bool is_any_nan = is_nan_in_x || is_nan_in_y;
  const bool are_zeros = x == 0 && y == 0;
  switch (reduction) {
    case Reduction::none:
    case Reduction::sum:
    case Reduction::mean:
    case Reduction::sqrt_n:
    case Reduction::sub:
    case Reduction::prod:
    case Reduction::bit_and:
    case Reduction::bit_or:
    case Reduction::bit_xor: break;
    case Reduction::min: return y < x;
    case Reduction::max: return y > x;
    case Reduction::min_update: return !(x < y);
    case Reduction::max_update: return !(x > y);
    case Reduction::min_propagate: return is_any_nan ? !is_nan_in_x : y < x;
    case Reduction::max_propagate: return is_any_nan ? !is_nan_in_x : y > x;
    case Reduction::min_ieee:
      if (are_zeros) return std::signbit(y) && !std::signbit(x);
      return is_any_nan ? !is_nan_in_x : y < x;
    case Reduction::max_ieee:
      if (are_zeros) return std::signbit(x) && !std::signbit(y);
      return is_any_nan ? !is_nan_in_x : y > x;
    case Reduction::min_ignore: return is_any_nan ? is_nan_in_x && !is_nan_in_y : y < x;
    case Reduction::max_ignore: return is_any_nan ? is_nan_in_x && !is_nan_in_y : y > x;
  }
  std::abort();
}

void select_real(const ElementType& type, Reduction reduction, std::byte* element,
                 const std::byte* update) {
  const RealFormat format = format_of(type.dtype);
  const double x = decoded(format, load_pattern(format, element));
  const double y = decoded(format, load_pattern(format, update));
  if (takes_update(reduction, x, y)) std::copy(update, update + type.size, element);
}

void combine_reals(const ElementType& type, Reduction reduction, std::byte* element,
                   const std::byte* update) {
  if (selects(reduction)) return select_real(type, reduction, element, update);
  const RealFormat format = format_of(type.dtype);
  const double x = decoded(format, load_pattern(format, element));
  const double y = decoded(format, load_pattern(format, update));
  const double result =
      type.dtype == DType::float64
          ? calculated(reduction, x, y)
          : double{calculated(reduction, static_cast<float>(x), static_cast<float>(y))};
  store_pattern(format, encoded(format, result), element);
}

// (a + bi)(c + di) = (ac - bd) + (ad + bc)i, and sum and sub part by part.
template <class T>
void combine_complex(Reduction reduction, std::byte* element, const std::byte* update) {
  T x[2];
  T y[2];
  std::memcpy(x, element, sizeof x);
  std::memcpy(y, update, sizeof y);
  T result[2];
  if (reduction == Reduction::prod) {
    const T ac = x[0] * y[0];
    const T bd = x[1] * y[1];
    const T ad = x[0] * y[1];
    const T bc = x[1] * y[0];
    result[0] = ac - bd;
    result[1] = ad + bc;
  } else {
    for (int part = 0; part < 2; ++part) {
      result[part] = calculated(reduction, x[part], y[part]);
    }
  }
  for (T& part : result) {
    if (std::isnan(part)) part = std::numeric_limits<T>::quiet_NaN();
  }
  std::memcpy(element, result, sizeof result);
}

}  // namespace

RealFormat format_of(DType dtype) {
  switch (dtype) {
    case DType::float16: return {.bits = 16, .mantissa = 10};
    case DType::bfloat16: return {.bits = 16, .mantissa = 7};
    case DType::float32:
    case DType::complex64: return {.bits = 32, .mantissa = 23};
    case DType::float64:
    case DType::complex128: return {.bits = 64, .mantissa = 52};
    case DType::boolean:
    case DType::int8:
    case DType::int16:
    case DType::int32:
    case DType::int64:
    case DType::uint8:
    case DType::uint16:
    case DType::uint32:
    case DType::uint64:
    case DType::opaque: break;
  }
  std::abort();
}

std::uint64_t load_pattern(const RealFormat& format, const std::byte* from) {
  return load_word(from, static_cast<std::size_t>(format.bits / 8));
}

void store_pattern(const RealFormat& format, std::uint64_t pattern, std::byte* into) {
  store_word(pattern, into, static_cast<std::size_t>(format.bits / 8));
}

double decoded(const RealFormat& format, std::uint64_t pattern) {
  const std::uint64_t magnitude = pattern & ~format.sign();
  const double sign = (pattern & format.sign()) != 0 ? -1.0 : 1.0;
  if (magnitude > format.infinity()) return std::nan("");
  if (magnitude == format.infinity()) return sign * HUGE_VAL;
  const auto exponent = static_cast<int>(magnitude >> format.mantissa);
  const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << format.mantissa) - 1);
  const std::uint64_t hidden = exponent == 0 ? 0 : std::uint64_t{1} << format.mantissa;
  const int scale = std::max(exponent, 1) - format.bias() - format.mantissa;
  return sign * std::ldexp(static_cast<double>(hidden + fraction), scale);
}

std::uint64_t encoded(const RealFormat& format, double value) {
  const std::uint64_t sign = std::signbit(value) ? format.sign() : 0;
  if (std::isnan(value)) return format.infinity() | (std::uint64_t{1} << (format.mantissa - 1));
  if (std::isinf(value)) return sign | format.infinity();
  if (value == 0) return sign;
  const int smallest = 1 - format.bias();
  const int exponent = std::max(std::ilogb(value), smallest);
  // Counted in units in the last place; nearbyint rounds to nearest even. A count that reaches the
  // next power of two carries into the exponent by itself.
  const double units = std::nearbyint(std::ldexp(std::fabs(value), format.mantissa - exponent));
  const std::uint64_t magnitude =
      (static_cast<std::uint64_t>(exponent - smallest) << format.mantissa) +
      static_cast<std::uint64_t>(units);
  return sign | std::min(magnitude, format.infinity());
}

Int128 load_integer(DType dtype, const std::byte* from) {
  const std::uint64_t bits = load_word(from, info(dtype).size);
  const Int128 value = bits;
  const bool is_negative = !is_unsigned(dtype) && (bits >> (width_of(dtype) - 1)) != 0;
  return is_negative ? value - (Int128{1} << width_of(dtype)) : value;
}

void store_integer(DType dtype, Int128 value, std::byte* into) {
  store_word(static_cast<std::uint64_t>(static_cast<UInt128>(value)), into, info(dtype).size);
}

bool fits(DType dtype, Int128 value) {
  const int width = width_of(dtype);
  if (is_unsigned(dtype)) return value >= 0 && value < (Int128{1} << width);
  return value >= -(Int128{1} << (width - 1)) && value < (Int128{1} << (width - 1));
}

bool is_arithmetic(Reduction reduction) {
  switch (step_of(reduction)) {
    case Step::add:
    case Step::subtract:
    case Step::multiply: return true;
    case Step::set:
    case Step::least:
    case Step::greatest:
    case Step::both_bits:
    case Step::any_bits:
    case Step::odd_bits: return false;
  }
  std::abort();
}

bool divides(Reduction reduction) {
  return reduction == Reduction::mean || reduction == Reduction::sqrt_n;
}

bool is_defined(DType dtype, Reduction reduction) {
  if (reduction == Reduction::none) return true;
  const DTypeKind kind = info(dtype).kind;
  if (kind == DTypeKind::opaque) return false;
  if (reduction == Reduction::sqrt_n) return kind == DTypeKind::real;
  if (divides(reduction)) return kind != DTypeKind::boolean && kind != DTypeKind::complex;
  if (is_of_bits(reduction)) return kind != DTypeKind::real && kind != DTypeKind::complex;
  return kind != DTypeKind::complex || !selects(reduction);
}

std::vector<std::byte> converted(const ElementType& type, const std::byte* element,
                                 const ElementType& to) {
  if (type == to) return {element, element + type.size};
  std::vector<std::byte> bytes(to.size);
  const RealFormat from = format_of(type.dtype);
  const RealFormat into = format_of(to.dtype);
  const double value = decoded(from, load_pattern(from, element));
  store_pattern(into, encoded(into, value), bytes.data());
  return bytes;
}

std::vector<std::byte> identity_of(const ElementType& type, Reduction reduction, bool is_infinite) {
  std::vector<std::byte> bytes(type.size);
  const bool is_max = step_of(reduction) == Step::greatest;
  const bool selects = tscatter::oracle::selects(reduction);
  if (step_of(reduction) == Step::both_bits) {
    const bool is_bool = type.dtype == DType::boolean;
    std::ranges::fill(bytes, is_bool ? std::byte{1} : std::byte{0xFF});
    return bytes;
  }
  if (!selects && reduction != Reduction::prod) return bytes;
  switch (info(type.dtype).kind) {
    case DTypeKind::boolean:
      bytes[0] = std::byte{static_cast<unsigned char>(is_max ? 0 : 1)};
      break;
    case DTypeKind::unsigned_integer:
      store_integer(type.dtype, !selects ? 1 : is_max ? 0 : -1, bytes.data());
      break;
    case DTypeKind::signed_integer: {
      const Int128 low = -(Int128{1} << (width_of(type.dtype) - 1));
      store_integer(type.dtype, !selects ? Int128{1} : is_max ? low : -low - 1, bytes.data());
      break;
    }
    case DTypeKind::real: {
      const RealFormat format = format_of(type.dtype);
      const std::uint64_t end = format.infinity() - (is_infinite ? 0 : 1);
      const std::uint64_t most = end | (is_max ? format.sign() : 0);
      store_pattern(format, selects ? most : encoded(format, 1), bytes.data());
      break;
    }
    case DTypeKind::complex:
      store_pattern(format_of(type.dtype), encoded(format_of(type.dtype), 1), bytes.data());
      break;
    case DTypeKind::opaque: std::abort();
  }
  return bytes;
}

std::vector<std::byte> element_of_number(const ElementType& type, const Number& number) {
  std::vector<std::byte> bytes(type.size);
  const auto real = std::visit([](auto value) { return static_cast<double>(value); }, number);
  switch (info(type.dtype).kind) {
    case DTypeKind::boolean: bytes[0] = std::byte{real != 0}; break;
    case DTypeKind::unsigned_integer:
    case DTypeKind::signed_integer:
      store_integer(type.dtype, std::visit([](auto value) { return Int128(value); }, number),
                    bytes.data());
      break;
    case DTypeKind::real:
    case DTypeKind::complex: {
      const RealFormat format = format_of(type.dtype);
      store_pattern(format, encoded(format, real), bytes.data());
      break;
    }
    case DTypeKind::opaque: std::abort();
  }
  return bytes;
}

void divide(const ElementType& type, Reduction reduction, std::byte* sum, std::int64_t count,
            MeanQuotient quotient) {
  if (info(type.dtype).kind == DTypeKind::real) {
    const RealFormat format = format_of(type.dtype);
    const double x = decoded(format, load_pattern(format, sum));
    const double root = decoded(format, encoded(format, std::sqrt(static_cast<double>(count))));
    const double by = reduction == Reduction::sqrt_n ? root : static_cast<double>(count);
    const double result = type.dtype == DType::float64
                              ? x / by
                              : double{static_cast<float>(x) / static_cast<float>(by)};
    return store_pattern(format, encoded(format, result), sum);
  }
  const Int128 x = load_integer(type.dtype, sum);
  Int128 result = x / count;
  const bool is_between = result * count != x && (x < 0) != (count < 0);
  if (is_between && quotient == MeanQuotient::floor) result -= 1;
  store_integer(type.dtype, result, sum);
}

void combine(const ElementType& type, Reduction reduction, std::byte* element,
             const std::byte* update) {
  if (reduction == Reduction::none) {
    std::copy(update, update + type.size, element);
    return;
  }
  switch (info(type.dtype).kind) {
    case DTypeKind::boolean: return combine_booleans(reduction, element, update);
    case DTypeKind::signed_integer:
    case DTypeKind::unsigned_integer:
      return combine_integers(type.dtype, reduction, element, update);
    case DTypeKind::real: return combine_reals(type, reduction, element, update);
    case DTypeKind::complex:
      if (type.size == 8) return combine_complex<float>(reduction, element, update);
      return combine_complex<double>(reduction, element, update);
    case DTypeKind::opaque: std::abort();
  }
}

}  // namespace tscatter::oracle
