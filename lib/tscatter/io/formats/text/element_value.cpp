#include "tscatter/io/formats/text/element_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/visit_dtype.hpp"

namespace tscatter {
namespace {

// Rounds to float (to odd) so that a later rounding to a narrower format gives the result of
// rounding once.
float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(nearest) == value) return nearest;
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value)) --bits;
  return std::bit_cast<float>(bits | 1U);
}

template <class Real>
Real rounded(double value) {
  if constexpr (HalfWidth<Real>) {
    return Real(round_to_odd(value));
  } else {
    return static_cast<Real>(value);
  }
}

template <class Real>
bool becomes_infinite(double value) {
  return std::isfinite(value) && !std::isfinite(static_cast<double>(rounded<Real>(value)));
}

// Truncates an integer to 53 bits, and sets the last bit if anything was cut off: rounding the
// result to a format narrower than float64 then rounds the integer correctly.
double odd_double(std::uint64_t magnitude) {
  constexpr int digits = std::numeric_limits<double>::digits;
  const int surplus = static_cast<int>(std::bit_width(magnitude)) - digits;
  if (surplus <= 0) return static_cast<double>(magnitude);
  const std::uint64_t kept = magnitude >> surplus;
  const bool is_cut = (kept << surplus) != magnitude;
  return std::ldexp(static_cast<double>(kept | (is_cut ? 1U : 0U)), surplus);
}

double odd_double(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? -odd_double(0 - bits) : odd_double(bits);
}

// The number to be rounded to Real.
template <class Real>
std::optional<double> real_value(const ElementValue& value) {
  constexpr bool is_narrow = !std::is_same_v<Real, double>;
  if (const auto* i = std::get_if<std::int64_t>(&value)) {
    return is_narrow ? odd_double(*i) : static_cast<double>(*i);
  }
  if (const auto* u = std::get_if<std::uint64_t>(&value)) {
    return is_narrow ? odd_double(*u) : static_cast<double>(*u);
  }
  if (const auto* huge = std::get_if<HugeInteger>(&value)) return huge->value;
  if (const auto* d = std::get_if<double>(&value)) return *d;
  return std::nullopt;
}

template <class Real>
std::optional<Real> to_real(const ElementValue& value) {
  const std::optional<double> number = real_value<Real>(value);
  if (!number || becomes_infinite<Real>(*number)) return std::nullopt;
  return rounded<Real>(*number);
}

template <class Complex>
std::optional<Complex> to_complex(const ElementValue& value) {
  using Real = typename Complex::value_type;
  const auto* number = std::get_if<std::complex<double>>(&value);
  if (number == nullptr) {
    const std::optional<Real> real = to_real<Real>(value);
    return real ? std::optional(Complex(*real, 0)) : std::nullopt;
  }
  if (becomes_infinite<Real>(number->real()) || becomes_infinite<Real>(number->imag()))
    return std::nullopt;
  return Complex(rounded<Real>(number->real()), rounded<Real>(number->imag()));
}

template <class Integer>
std::optional<Integer> to_integer(const ElementValue& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value);
      i != nullptr && std::in_range<Integer>(*i)) {
    return static_cast<Integer>(*i);
  }
  if (const auto* u = std::get_if<std::uint64_t>(&value);
      u != nullptr && std::in_range<Integer>(*u)) {
    return static_cast<Integer>(*u);
  }
  return std::nullopt;
}

std::optional<Bool> to_bool(const ElementValue& value) {
  if (const auto* b = std::get_if<bool>(&value)) return static_cast<Bool>(*b ? 1 : 0);
  const std::optional<std::uint8_t> integer = to_integer<std::uint8_t>(value);
  if (!integer || *integer > 1) return std::nullopt;
  return static_cast<Bool>(*integer);
}

template <class T>
std::optional<T> converted(const ElementValue& value) {
  if constexpr (std::is_same_v<T, Bool>) {
    return to_bool(value);
  } else if constexpr (std::is_integral_v<T>) {
    return to_integer<T>(value);
  } else if constexpr (is_complex_v<T>) {
    return to_complex<T>(value);
  } else {
    return to_real<T>(value);
  }
}

// "1" -> "1.0": a float stays one when it is read back.
std::string with_fraction(std::string digits) {
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits;
}

template <class Real, class... Form>
std::string to_chars_text(Real value, Form... form) {
  std::array<char, 40> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, form...);
  return {buffer.data(), end};
}

double number_in(std::string_view digits) {
  double number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// A large number without an exponent is written with all its digits: those beyond the shortest
// become zeros.
template <class Real>
std::string shortest(Real value) {
  std::string text = to_chars_text(value);
  if (text.find_first_of(".e") == std::string::npos) {
    std::string digits = to_chars_text(value, std::chars_format::scientific);
    digits.resize(digits.find('e'));
    std::erase(digits, '.');
    digits.resize(text.size(), '0');
    text = digits;
  }
  return with_fraction(std::move(text));
}

// The float64 of the shortest decimals that round back to the same value.
double decimal(double value) { return value; }

double decimal(float value) {
  return number_in(to_chars_text(value, std::chars_format::scientific));
}

// The decimal with so many digits that follows the nearest one, away from 0.
double decimal_after(float value, int digits) {
  std::string text = to_chars_text(value, std::chars_format::scientific, digits - 1);
  const int exponent = std::stoi(text.substr(text.find('e') + 1)) - (digits - 1);
  text.resize(text.find('e'));
  std::erase(text, '.');
  const int nearest = std::stoi(text);
  return number_in(fmt::format("{}e{}", nearest < 0 ? nearest - 1 : nearest + 1, exponent));
}

// Values above a power of two are twice as far apart as below it: there a decimal may read back
// that is not the nearest one with so many digits.
bool is_power_of_two(float value) {
  int exponent = 0;
  return std::fabs(std::frexp(value, &exponent)) == 0.5F;
}

template <HalfWidth Half>
double decimal(Half value) {
  const auto wide = static_cast<float>(value);
  if (!std::isfinite(wide)) return wide;
  const auto reads_back = [&](double read) {
    return static_cast<float>(rounded<Half>(read)) == wide;
  };
  for (int digits = 1;; ++digits) {
    const double nearest = number_in(to_chars_text(wide, std::chars_format::general, digits));
    if (reads_back(nearest)) return nearest;
    if (!is_power_of_two(wide)) continue;
    const double after = decimal_after(wide, digits);
    if (reads_back(after)) return after;
  }
}

template <HalfWidth Half>
std::string shortest(Half value) {
  return shortest(decimal(value));
}

template <class Real>
std::string real_text(Real value) {
  const auto number = static_cast<double>(value);
  if (std::isnan(number)) return "\"NaN\"";
  if (std::isinf(number)) return number < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  return shortest(value);
}

template <class T>
ElementValue value_of(T value) {
  if constexpr (std::is_same_v<T, Bool>) {
    return static_cast<std::uint8_t>(value) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    using Integer = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<Integer>(value);
  } else if constexpr (is_complex_v<T>) {
    return std::complex<double>(decimal(value.real()), decimal(value.imag()));
  } else {
    return decimal(value);
  }
}

template <class T>
std::string text_of(T value) {
  if constexpr (std::is_same_v<T, Bool>) {
    return static_cast<std::uint8_t>(value) != 0 ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (is_complex_v<T>) {
    return fmt::format("[{}, {}]", real_text(value.real()), real_text(value.imag()));
  } else {
    return real_text(value);
  }
}

template <class T>
T first_of(std::span<const std::byte> element) {
  T value;
  std::memcpy(&value, element.data(), sizeof(T));
  return value;
}

}  // namespace

ElementValue signed_zero(const ElementValue& value, std::string_view text, DType dtype) {
  const DTypeKind kind = info(dtype).kind;
  const bool has_sign = kind == DTypeKind::real || kind == DTypeKind::complex;
  return text == "-0" && has_sign ? ElementValue(-0.0) : value;
}

bool encode(const ElementValue& value, const ElementType& type, std::span<std::byte> into) {
  const bool fits = visit_dtype(type.dtype, [&]<class T>() {
    const std::optional<T> element = converted<T>(value);
    if (element) std::memcpy(into.data(), &*element, sizeof(T));
    return element.has_value();
  });
  if (fits) turn_elements(into, type);
  return fits;
}

ElementValue decode(std::span<const std::byte> element, DType dtype) {
  return visit_dtype(dtype,
                     [&]<class T>() -> ElementValue { return value_of(first_of<T>(element)); });
}

std::string json_text(std::span<const std::byte> element, DType dtype) {
  return visit_dtype(dtype, [&]<class T>() { return text_of(first_of<T>(element)); });
}

namespace {

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "+5" is 5; "+-5" is left alone, and is not a number.
std::string_view without_plus(std::string_view text) {
  const bool is_plus = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
  return is_plus ? text.substr(1) : text;
}

// What float64 has for a number beyond its range: a zero or an infinity, by its magnitude.
double nearest_end(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  text.remove_prefix(is_negative ? 1 : 0);
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, mark);
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<std::int64_t>(digits.find_first_of("123456789"));
  const std::int64_t places = first < point ? point - first : point - first + 1;
  std::int64_t exponent = 0;
  text = without_plus(text.substr(std::min(mark + 1, text.size())));
  const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
  const bool is_large =
      read.ec == std::errc::result_out_of_range ? !text.starts_with('-') : exponent > -places;
  const double value = is_large ? std::numeric_limits<double>::infinity() : 0.0;
  return is_negative ? -value : value;
}

// An infinity for a number beyond float64; nullopt if the text is no number.
std::optional<double> nearest_real(std::string_view text) {
  text = without_plus(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  return error == std::errc::result_out_of_range ? nearest_end(text) : value;
}

// Infinity itself is written without digits.
bool is_overflow(double value, std::string_view text) {
  return std::isinf(value) && text.find_first_of("0123456789") != std::string_view::npos;
}

// The digits times 10^exponent; nullopt if that is no integer, or one of more than 20 digits.
std::optional<std::string> scaled(std::string digits, int exponent) {
  constexpr int most = 20;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  const auto count = static_cast<int>(digits.size());
  if (count == 0) return "0";
  const int length = count + exponent;
  if (length <= 0 || length > most) return std::nullopt;
  if (exponent >= 0) return digits + std::string(static_cast<std::size_t>(exponent), '0');
  const auto kept = static_cast<std::size_t>(length);
  if (digits.find_first_not_of('0', kept) != std::string::npos) return std::nullopt;
  return digits.substr(0, kept);
}

}  // namespace

std::optional<double> parse_real(std::string_view text) {
  const auto value = nearest_real(text);
  return value && is_overflow(*value, text) ? std::nullopt : value;
}

std::optional<ElementValue> parse_number(std::string_view text) {
  if (const auto integer = whole_number<std::int64_t>(without_plus(text))) return *integer;
  if (const auto integer = whole_number<std::uint64_t>(without_plus(text))) return *integer;
  const auto real = parse_real(text);
  if (!real) return std::nullopt;
  const bool is_integer = text.find_first_not_of("+-0123456789") == std::string_view::npos;
  return is_integer ? ElementValue(HugeInteger{*real}) : ElementValue(*real);
}

std::optional<ElementValue> parse_whole(std::string_view text) {
  text = without_plus(text);
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  std::string digits(text.substr(0, mark));
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t behind = digits.size() - std::min(point + 1, digits.size());
  digits.erase(point, 1);
  const bool has_digits =
      !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  const auto exponent = mark == text.size()
                            ? std::optional<std::int16_t>(0)
                            : whole_number<std::int16_t>(without_plus(text.substr(mark + 1)));
  if (!has_digits || !exponent) return std::nullopt;
  const auto whole = scaled(std::move(digits), *exponent - static_cast<int>(behind));
  if (!whole) return std::nullopt;
  return parse_number(is_negative ? '-' + *whole : *whole);
}

bool is_beyond_float64(std::string_view text) {
  const auto value = nearest_real(text);
  return value && is_overflow(*value, text);
}

}  // namespace tscatter
