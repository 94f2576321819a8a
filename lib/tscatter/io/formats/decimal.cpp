#include "tscatter/io/formats/decimal.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

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

// An infinity for a number beyond float64; nullopt if the text is no number.
std::optional<double> nearest_real(std::string_view text) {
  text = without_plus(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range)
    value = std::strtod(std::string(text).c_str(), nullptr);
  return value;
}

// Infinity itself is written without digits.
bool is_overflow(double value, std::string_view text) {
  return std::isinf(value) && text.find_first_of("0123456789") != std::string_view::npos;
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

bool is_beyond_float64(std::string_view text) {
  const auto value = nearest_real(text);
  return value && is_overflow(*value, text);
}

}  // namespace tscatter
