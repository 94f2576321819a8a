#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "tscatter/io/formats/text/element_value.hpp"

namespace tscatter {
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
