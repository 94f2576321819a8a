#include "tscatter/core/number.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "tscatter/core/visit_dtype.hpp"

namespace tscatter {
namespace {

template <class T>
std::optional<T> read_whole(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// The float beside a double whose last bit is odd: rounding it once more, to a half float, gives
// what rounding the double itself gives.
float beside(double value) {
  const auto nearest = static_cast<float>(value);
  const bool is_exact = static_cast<double>(nearest) == value || !std::isfinite(nearest);
  if (is_exact || (std::bit_cast<std::uint32_t>(nearest) & 1U) != 0) return nearest;
  const float infinity = std::numeric_limits<float>::infinity();
  return std::nextafter(nearest, value > static_cast<double>(nearest) ? infinity : -infinity);
}

template <class T>
double rounded(double value) {
  if constexpr (HalfWidth<T>) {
    return static_cast<double>(T(beside(value)));
  } else {
    return static_cast<double>(static_cast<T>(value));
  }
}

// T: a real type.
template <class T>
std::optional<Number> fitted_to_real(const Number& number) {
  const double given = std::visit([](auto value) { return static_cast<double>(value); }, number);
  const double value = rounded<T>(given);
  if (std::isfinite(given) && !std::isfinite(value)) return std::nullopt;
  return value;
}

// A whole number that is given as a float is an integer: 2.0 is 2.
Number as_integer(const Number& number) {
  const double* value = std::get_if<double>(&number);
  if (value == nullptr || *value != std::trunc(*value)) return number;
  if (*value >= -0x1p63 && *value < 0x1p63) return static_cast<std::int64_t>(*value);
  if (*value >= 0 && *value < 0x1p64) return static_cast<std::uint64_t>(*value);
  return number;
}

template <class T>
std::optional<Number> fitted_to_integer(const Number& number) {
  return std::visit(
      [](auto value) -> std::optional<Number> {
        if constexpr (std::is_integral_v<decltype(value)>) {
          if (std::in_range<T>(value)) return Number(value);
        }
        return std::nullopt;
      },
      as_integer(number));
}

template <class T>
std::optional<Number> fitted_to(const Number& number) {
  if constexpr (std::is_same_v<T, Bool>) {
    const Number given = as_integer(number);
    const bool is_bool = given == Number(std::int64_t{0}) || given == Number(std::int64_t{1});
    return is_bool ? std::optional(given) : std::nullopt;
  } else if constexpr (is_complex_v<T>) {
    return fitted_to_real<typename T::value_type>(number);
  } else if constexpr (std::is_integral_v<T>) {
    return fitted_to_integer<T>(number);
  } else {
    return fitted_to_real<T>(number);
  }
}

}  // namespace

std::optional<Number> number_of(std::string_view text) {
  const bool is_negative_zero = text == "-0";
  if (is_negative_zero) return Number(-0.0);
  if (const auto value = read_whole<std::int64_t>(text)) return Number(*value);
  if (const auto value = read_whole<std::uint64_t>(text)) return Number(*value);
  if (const auto value = read_whole<double>(text)) return Number(*value);
  return std::nullopt;
}

std::string to_string(const Number& number) {
  return std::visit([](auto value) { return fmt::format("{}", value); }, number);
}

std::optional<Number> fitted(const Number& number, DType dtype) {
  if (dtype == DType::opaque) return std::nullopt;
  return visit_dtype(dtype, [&]<class T>() { return fitted_to<T>(number); });
}

std::optional<double> to_double(DType dtype, const std::byte* element) {
  if (dtype == DType::opaque || dtype == DType::boolean) return std::nullopt;
  return visit_dtype(dtype, [&]<class T>() -> std::optional<double> {
    if constexpr (is_complex_v<T> || std::is_same_v<T, Bool>) {
      return std::nullopt;
    } else {
      T value;
      std::memcpy(&value, element, sizeof(T));
      return static_cast<double>(value);
    }
  });
}

}  // namespace tscatter
