// The text of reals has the fewest digits that read back to the same value, compared with a search
// through the decimals of each length, which the C library reads.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "catch.hpp"
#include "oracle/arithmetic.hpp"
#include "property/environment.hpp"
#include "tscatter/io/formats/text/element_value.hpp"

namespace tscatter {
namespace {

// The bit pattern of the value that `text` reads back to.
std::uint64_t read_as(DType dtype, const std::string& text) {
  if (dtype == DType::float64)
    return std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr));
  if (dtype == DType::float32)
    return std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr));
  return oracle::encoded(oracle::format_of(dtype), std::strtod(text.c_str(), nullptr));
}

// Whether a decimal of `digits` digits reads back: the nearest one to `value`, or one beside it.
bool has_decimal_of(int digits, DType dtype, std::uint64_t pattern, double value) {
  char nearest[64];
  std::snprintf(nearest, sizeof nearest, "%.*e", digits - 1, value);
  std::string mantissa(nearest, std::strchr(nearest, 'e'));
  std::erase(mantissa, '.');
  const long long whole = std::atoll(mantissa.c_str());
  const int exponent = std::atoi(std::strchr(nearest, 'e') + 1) - digits + 1;
  // Just below a power of ten, decimals are ten times as close: 9.99 and 10.0.
  return std::ranges::any_of(
      std::array{whole * 10 - 10, whole * 10 - 1, whole * 10, whole * 10 + 10},
      [&](long long candidate) {
        std::string text = std::to_string(candidate);
        if (candidate == whole * 10 - 1 && text.size() > static_cast<std::size_t>(digits))
          return false;
        text += "e" + std::to_string(exponent - 1);
        return read_as(dtype, text) == pattern;
      });
}

int fewest_digits(DType dtype, std::uint64_t pattern, double value) {
  int digits = 1;
  while (!has_decimal_of(digits, dtype, pattern, value)) ++digits;
  return digits;
}

// Without the zeros that only place the decimal point.
int digits_of(std::string text) {
  text.resize(std::min(text.size(), text.find('e')));
  std::erase(text, '.');
  const auto first = text.find_first_not_of('0');
  const auto last = text.find_last_not_of('0');
  return static_cast<int>(last - first) + 1;
}

template <class Pattern>
std::string digits_of(DType dtype, Pattern pattern) {
  return json_text(std::as_bytes(std::span(&pattern, 1)), dtype);
}

// 1 if the text of a positive number is wrong, otherwise 0.
template <class Pattern>
int wrong_text(DType dtype, Pattern pattern, double value) {
  constexpr auto sign = static_cast<Pattern>(Pattern{1} << (8 * sizeof(Pattern) - 1));
  const std::string text = digits_of(dtype, pattern);
  const bool is_right = read_as(dtype, text) == pattern &&
                        digits_of(text) == fewest_digits(dtype, pattern, value) &&
                        digits_of(dtype, static_cast<Pattern>(pattern | sign)) == "-" + text;
  if (!is_right) UNSCOPED_INFO(text);
  return is_right ? 0 : 1;
}

template <class Real, class Pattern>
int wrong_texts(DType dtype, std::uint64_t seed, int count, int most_exponent) {
  std::mt19937_64 random(seed);
  int wrong = 0;
  for (int i = 0; i < count && wrong < 10; ++i) {
    auto pattern = static_cast<Pattern>(random()) & (~Pattern{0} >> 1);
    auto value = std::bit_cast<Real>(pattern);
    // Every other one where numbers are written without an exponent.
    if (i % 2 == 1) {
      const int exponent = static_cast<int>(random() % static_cast<unsigned>(most_exponent));
      int own = 0;
      value = std::ldexp(std::frexp(value, &own), exponent);
      pattern = std::bit_cast<Pattern>(value);
    }
    if (std::isfinite(value) && value != 0)
      wrong += wrong_text(dtype, pattern, static_cast<double>(value));
  }
  return wrong;
}

}  // namespace

TEST_CASE("the texts of all float16 and bfloat16 have the fewest digits", "[io]") {
  for (const auto& [dtype, infinity] :
       {std::pair{DType::float16, 0x7C00}, {DType::bfloat16, 0x7F80}}) {
    int wrong = 0;
    for (int pattern = 1; pattern < infinity && wrong < 10; ++pattern) {
      const double value =
          oracle::decoded(oracle::format_of(dtype), static_cast<std::uint64_t>(pattern));
      wrong += wrong_text(dtype, static_cast<std::uint16_t>(pattern), value);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("the texts of a million float32 and many float64 have the fewest digits", "[io]") {
  const auto count = static_cast<int>(property::extent(
      "TSCATTER_TEXTS", {.whole = 1'000'000, .sample = 250'000, .slowed = 100'000}));
  CHECK(wrong_texts<float, std::uint32_t>(DType::float32, 20261122, count, 60) == 0);
  CHECK(wrong_texts<double, std::uint64_t>(DType::float64, 20261122, count / 3, 90) == 0);
  // Powers of two, where values are twice as far apart above as below.
  int wrong = 0;
  for (int exponent = -149; exponent < 128; ++exponent) {
    const float power = std::ldexp(1.0F, exponent);
    wrong += wrong_text(DType::float32, std::bit_cast<std::uint32_t>(power), power);
  }
  for (int exponent = -1074; exponent < 1024; ++exponent) {
    const double power = std::ldexp(1.0, exponent);
    wrong += wrong_text(DType::float64, std::bit_cast<std::uint64_t>(power), power);
  }
  CHECK(wrong == 0);
}

TEST_CASE("the text of reals that once had more digits than they need", "[io]") {
  CHECK(digits_of(DType::float16, std::uint16_t{0x2400}) == "0.01563");  // 2^-6
  CHECK(digits_of(DType::float32, std::bit_cast<std::uint32_t>(64311768.0F)) == "64311770.0");
  CHECK(digits_of(DType::float64, std::bit_cast<std::uint64_t>(123456789012345683968.0)) ==
        "123456789012345680000.0");
}

}  // namespace tscatter
