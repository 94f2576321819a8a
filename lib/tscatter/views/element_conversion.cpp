#include "tscatter/views/element_conversion.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "tscatter/core/half.hpp"
#include "tscatter/core/visit_dtype.hpp"

namespace tscatter {
namespace {

// ---- From any dtype to int64, uint64, float, double or a complex one of these, which hold its
// values.

template <class T>
auto widened(T value) {
  if constexpr (is_complex_v<T> || std::is_floating_point_v<T>) {
    return value;
  } else if constexpr (HalfWidth<T>) {
    return static_cast<float>(value);  // a NaN, too, keeps its bits
  } else if constexpr (std::is_same_v<T, Bool>) {
    return static_cast<std::uint64_t>(value == Bool{} ? 0 : 1);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<std::int64_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

// ---- To a real dtype

template <class Real>
constexpr int fraction_bits = std::numeric_limits<Real>::digits - 1;
template <>
constexpr int fraction_bits<Half> = 10;
template <>
constexpr int fraction_bits<BFloat16> = 7;

template <class Real>
using BitsOf = ElementBits<sizeof(Real)>;

// The bits of infinity.
template <class Real>
constexpr std::uint64_t exponent_mask = ((std::uint64_t{1} << (8 * sizeof(Real) - 1)) - 1) >>
                                        fraction_bits<Real> << fraction_bits<Real>;

// A NaN with the sign and the fraction of another, which is wider or narrower.
template <class To, class From>
To nan_of(From value) {
  constexpr int shift = fraction_bits<To> - fraction_bits<From>;
  const auto bits = static_cast<std::uint64_t>(std::bit_cast<BitsOf<From>>(value));
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits<From>)-1);
  const std::uint64_t sign = bits >> (8 * sizeof(From) - 1) << (8 * sizeof(To) - 1);
  std::uint64_t moved = 0;
  if constexpr (shift < 0) {
    moved = fraction >> -shift;
  } else {
    moved = fraction << shift;
  }
  return std::bit_cast<To>(static_cast<BitsOf<To>>(sign | exponent_mask<To> | moved));
}

// A NaN stays one, quiet where its payload has no room.
template <class To, class Wide>
ConversionFit nan_to_real(Wide value, To& into) {
  const auto bits = std::bit_cast<BitsOf<Wide>>(value);
  into = nan_of<To>(value);
  if (std::bit_cast<BitsOf<Wide>>(nan_of<Wide>(into)) == bits) return ConversionFit::exact;
  constexpr BitsOf<Wide> quiet = BitsOf<Wide>{1} << (fraction_bits<Wide> - 1);
  into = nan_of<To>(std::bit_cast<Wide>(bits | quiet));
  return ConversionFit::rounded;
}

template <class To, class Wide>
To nearest_real(Wide value) {
  if constexpr (!HalfWidth<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_same_v<Wide, float>) {
    return To(value);
  } else if constexpr (std::is_same_v<Wide, double>) {
    return rounded_once<To>(value);
  } else {
    return rounded_once<To>(rounded_to_odd(value));
  }
}

template <class Real>
auto widened_plainly(Real value) {
  if constexpr (HalfWidth<Real>) {
    return widen(value);
  } else {
    return value;
  }
}

// The first number beyond an integer dtype.
template <class Integer>
constexpr double end_of = 2.0 * static_cast<double>(std::uint64_t{1}
                                                    << (std::numeric_limits<Integer>::digits - 1));

// REQUIRES: value is whole.
template <class Integer>
bool is_in_range(double value) {
  constexpr double first = std::is_signed_v<Integer> ? -end_of<Integer> : 0;
  return value >= first && value < end_of<Integer>;
}

template <class To, class Wide>
bool is_same_number(To narrow, Wide value) {
  const auto back = widened_plainly(narrow);
  if constexpr (std::is_floating_point_v<Wide>) {
    return back == value;
  } else {
    const auto wide = static_cast<double>(back);
    return is_in_range<Wide>(wide) && static_cast<Wide>(wide) == value;
  }
}

template <class To, class Wide>
ConversionFit to_real(Wide value, To& into) {
  if constexpr (std::is_floating_point_v<Wide>) {
    if (std::isnan(value)) return nan_to_real(value, into);
  }
  into = nearest_real<To>(value);
  if (is_same_number(into, value)) return ConversionFit::exact;
  return std::isinf(widened_plainly(into)) ? ConversionFit::overflowed : ConversionFit::rounded;
}

// ---- To the other kinds

template <class To, class Wide>
ConversionFit to_whole(Wide value, ToInteger how, To& into) {
  if constexpr (std::is_integral_v<Wide>) {
    into = static_cast<To>(value);
    return std::in_range<To>(value) ? ConversionFit::exact : ConversionFit::lost;
  } else {
    const auto wide = static_cast<double>(value);
    const double whole = how == ToInteger::nearest ? std::nearbyint(wide) : std::trunc(wide);
    if (is_in_range<To>(whole)) {
      into = static_cast<To>(whole);
      return whole == wide ? ConversionFit::exact : ConversionFit::rounded;
    }
    using Limits = std::numeric_limits<To>;
    into = std::isnan(wide) ? To{0} : wide < 0 ? Limits::min() : Limits::max();
    return ConversionFit::lost;
  }
}

template <class Wide>
ConversionFit to_bool(Wide value, Bool& into) {
  into = static_cast<Bool>(value == Wide{0} ? 0 : 1);
  return value == Wide{0} || value == Wide{1} ? ConversionFit::exact : ConversionFit::lost;
}

// Not of a complex value to a dtype that has no imaginary part.
template <class To, class Wide>
ConversionFit convert_real(Wide value, ToInteger how, To& into) {
  if constexpr (std::is_same_v<To, Bool>) {
    return to_bool(value, into);
  } else if constexpr (is_real_v<To>) {
    return to_real(value, into);
  } else {
    return to_whole(value, how, into);
  }
}

template <class To, class Part>
ConversionFit convert_complex(std::complex<Part> value, ToInteger how, To& into) {
  if constexpr (is_complex_v<To>) {
    typename To::value_type real{};
    typename To::value_type imaginary{};
    const ConversionFit of_real = to_real(value.real(), real);
    const ConversionFit of_imaginary = to_real(value.imag(), imaginary);
    into = To(real, imaginary);
    return std::max(of_real, of_imaginary);
  } else {
    const ConversionFit of_real = convert_real(value.real(), how, into);
    if constexpr (std::is_same_v<To, Bool>)
      into = static_cast<Bool>(value == std::complex<Part>() ? 0 : 1);
    const bool is_real = std::bit_cast<BitsOf<Part>>(value.imag()) == 0;
    return is_real ? of_real : ConversionFit::lost;
  }
}

template <class To, class Wide>
ConversionFit convert_one(Wide value, ToInteger how, To& into) {
  if constexpr (is_complex_v<Wide>) {
    return convert_complex(value, how, into);
  } else if constexpr (is_complex_v<To>) {
    typename To::value_type real{};
    const ConversionFit fit = to_real(value, real);
    into = To(real, 0);
    return fit;
  } else {
    return convert_real(value, how, into);
  }
}

// ---- Blocks of elements

constexpr std::size_t conversion_block = 1024;  // elements

// Real numbers without a branch, so that the compiler can vectorise the loop. False if one of them
// became an infinity or is NaN: these need another look.
template <class To, class Wide>
bool convert_finite(std::span<const Wide> values, To* into, ConversionCounts& counts) {
  using Number = decltype(widened_plainly(To{}));
  constexpr Number largest = std::numeric_limits<Number>::max();
  std::uint32_t rounded = 0;
  std::uint32_t special = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    into[i] = nearest_real<To>(values[i]);
    const Number back = widened_plainly(into[i]);
    rounded += back == values[i] ? 0U : 1U;
    special |= std::fabs(back) <= largest ? 0U : 1U;
  }
  if (special != 0) return false;
  counts.rounded += rounded;
  return true;
}

template <class To, class Wide>
void convert_block(std::span<const Wide> values, ToInteger how, To* into,
                   ConversionCounts& counts) {
  if constexpr (is_real_v<To> && std::is_floating_point_v<Wide>) {
    if (convert_finite(values, into, counts)) return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) counts.add(convert_one(values[i], how, into[i]));
}

// nullopt: a complex number that has an imaginary part.
template <class T>
std::optional<double> real_number(T value) {
  if constexpr (is_complex_v<T>) {
    const auto imaginary = static_cast<double>(value.imag());
    const bool is_real = imaginary == 0 && !std::signbit(imaginary);
    return is_real ? std::optional(static_cast<double>(value.real())) : std::nullopt;
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else {
    return rounded_to_odd(value);
  }
}

template <class T>
double real_part(T value) {
  if constexpr (is_complex_v<T>) {
    return static_cast<double>(value.real());
  } else {
    return *real_number(value);
  }
}

// `value`: of the code that the number became.
ConversionFit fit_of_float8(double number, double value) {
  if (std::isnan(number)) return std::isnan(value) ? ConversionFit::exact : ConversionFit::lost;
  if (value == number && std::signbit(value) == std::signbit(number)) return ConversionFit::exact;
  return std::isfinite(value) ? ConversionFit::rounded : ConversionFit::overflowed;
}

template <class Wide>
void encode_block(std::span<const Wide> values, const Float8Encoder& encoder,
                  const std::array<float, 256>& codes, std::byte* into, ConversionCounts& counts) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double number = real_part(values[i]);
    const std::uint8_t code = encoder(number);
    into[i] = static_cast<std::byte>(code);
    const bool is_real = real_number(values[i]).has_value();
    counts.add(is_real ? fit_of_float8(number, static_cast<double>(codes[code]))
                       : ConversionFit::lost);
  }
}

}  // namespace

void ConversionCounts::add(ConversionFit fit) {
  rounded += fit == ConversionFit::rounded ? 1 : 0;
  overflowed += fit == ConversionFit::overflowed ? 1 : 0;
  lost += fit == ConversionFit::lost ? 1 : 0;
}

void ConversionCounts::add(const ConversionCounts& other) {
  rounded += other.rounded;
  overflowed += other.overflowed;
  lost += other.lost;
}

ConversionFit ConversionCounts::worst() const {
  if (lost > 0) return ConversionFit::lost;
  if (overflowed > 0) return ConversionFit::overflowed;
  return rounded > 0 ? ConversionFit::rounded : ConversionFit::exact;
}

ElementConverter::ElementConverter(const ElementType& from, const ElementType& to,
                                   ToInteger to_integer, Float8Overflow overflow)
    : from_size_{from.size},
      to_size_{to.size},
      from_{from.dtype},
      to_{to.dtype},
      to_integer_{to_integer} {
  if (const Float8* const format = float8_of(from)) values_ = float8_values(*format);
  if (const Float8* const format = float8_of(to)) {
    encoder_.emplace(*format, overflow);
    codes_ = float8_values(*format);
  }
  assert(from_ != DType::opaque || values_);
  assert(to_ != DType::opaque || encoder_);
}

template <class Wide>
ConversionCounts ElementConverter::converted(std::span<const Wide> values,
                                             std::span<std::byte> into) const {
  ConversionCounts counts;
  if (encoder_) {
    encode_block(values, *encoder_, codes_, into.data(), counts);
    return counts;
  }
  visit_dtype(to_, [&]<class To>() {
    std::array<To, conversion_block> results;
    convert_block(values, to_integer_, results.data(), counts);
    std::memcpy(into.data(), results.data(), into.size());
  });
  return counts;
}

ConversionCounts ElementConverter::decoded(std::span<const std::byte> codes,
                                           std::span<std::byte> into) const {
  std::array<float, conversion_block> values;
  std::ranges::transform(codes, values.begin(), [&](std::byte code) {
    return (*values_)[std::to_integer<std::size_t>(code)];
  });
  return converted(std::span<const float>(values).first(codes.size()), into);
}

ConversionCounts ElementConverter::operator()(std::span<const std::byte> elements,
                                              std::span<std::byte> into) const {
  ConversionCounts counts;
  const std::size_t count = elements.size() / from_size_;
  for (std::size_t first = 0; first < count; first += conversion_block) {
    const std::size_t length = std::min(conversion_block, count - first);
    const auto part = elements.subspan(first * from_size_, length * from_size_);
    const auto result = into.subspan(first * to_size_, length * to_size_);
    if (values_) {
      counts.add(decoded(part, result));
      continue;
    }
    visit_dtype(from_, [&]<class From>() {
      using Wide = decltype(widened(From{}));
      std::array<From, conversion_block> copied;
      std::array<Wide, conversion_block> values;
      std::memcpy(copied.data(), part.data(), part.size());
      for (std::size_t i = 0; i < length; ++i) values[i] = widened(copied[i]);
      counts.add(converted(std::span<const Wide>(values).first(length), result));
    });
  }
  return counts;
}

}  // namespace tscatter
