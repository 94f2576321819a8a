#include "text/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>

#include "tscatter/core/error.hpp"
#include "tscatter/io/formats/element_value.hpp"

namespace tscatter::app {
namespace {

std::string hexadecimal(std::span<const std::byte> bytes, std::size_t size) {
  std::string text = "0x";
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return bytes.size() < size ? text + "…" : text;
}

// Each word as one hexadecimal number: two of a complex element.
std::string bits_text(std::span<const std::byte> native, std::size_t word) {
  std::string text;
  for (std::size_t begin = 0; begin < native.size(); begin += word) {
    text += text.empty() ? "0x" : " 0x";
    for (std::size_t i = 0; i < word; ++i) {
      const std::size_t place = std::endian::native == std::endian::little ? word - 1 - i : i;
      text += fmt::format("{:02x}", std::to_integer<int>(native[begin + place]));
    }
  }
  return text;
}

std::string grouped_digits(std::int64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

// JSON has no number for these.
Value real_value(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  return number;
}

template <class T>
Value value_of(const T& element) {
  return element;
}
Value value_of(double element) { return real_value(element); }
Value value_of(HugeInteger element) { return real_value(element.value); }
Value value_of(const std::complex<double>& element) {
  return Value::List{real_value(element.real()), real_value(element.imag())};
}

}  // namespace

Figure text_figure(std::string_view text) { return {.value = text, .text = std::string(text)}; }

Figure plain(std::int64_t count) { return {.value = count, .text = fmt::format("{}", count)}; }

Figure grouped(std::int64_t count) { return {.value = count, .text = grouped_digits(count)}; }

Figure error_figure(const std::optional<double>& error) {
  if (!error) return {.value = {}, .text = "-"};
  if (std::isinf(*error)) return text_figure("Infinity");
  return {.value = *error, .text = fmt::format("{:.6g}", *error)};
}

Figure position_figure(const Position& position) {
  return {.value = position, .text = to_string(position)};
}

Figure dtype_figure(const ElementType& type) {
  const std::string name = to_string(type);
  return {.value = name, .text = escape_control(name)};
}

Figure element_figure(std::span<const std::byte> element, const ElementType& type) {
  if (type.dtype == DType::opaque) return text_figure(hexadecimal(element, type.size));
  std::string text = json_text(element, type.dtype);
  std::erase(text, '"');
  return {.value = std::visit([](const auto& value) { return value_of(value); },
                              decode(element, type.dtype)),
          .text = std::move(text)};
}

std::pair<Figure, Figure> told_apart(std::span<const std::byte> one,
                                     std::span<const std::byte> other, const ElementType& type) {
  std::pair<Figure, Figure> figures{element_figure(one, type), element_figure(other, type)};
  const bool has_bits = type.dtype != DType::opaque && !std::ranges::equal(one, other);
  if (!has_bits || figures.first.text != figures.second.text) return figures;
  figures.first.text += " " + bits_text(one, type.word());
  figures.second.text += " " + bits_text(other, type.word());
  return figures;
}

std::string counted(std::int64_t count, std::string_view what, Digits digits) {
  const Figure number = digits == Digits::grouped ? grouped(count) : plain(count);
  return fmt::format("{} {}{}", number.text, what, count == 1 ? "" : "s");
}

std::string duration(double seconds) {
  constexpr double millisecond = 1e-3;
  if (seconds < millisecond) return "< 1 ms";
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds / millisecond);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const std::int64_t whole = std::llround(seconds);
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string size_text(std::int64_t bytes) {
  constexpr std::int64_t step = 1024;
  constexpr double largest = 1023.95;  // what is rounded to 1024.0
  constexpr std::array<std::string_view, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < step) return counted(bytes, "byte");
  double size = static_cast<double>(bytes) / step;
  std::size_t unit = 0;
  for (; size >= largest && unit + 1 < units.size(); ++unit) size /= step;
  return fmt::format("{:.1f} {}", size, units[unit]);
}

Figure size_figure(std::int64_t bytes) { return {.value = bytes, .text = size_text(bytes)}; }

std::string percent(std::int64_t part, std::int64_t whole) {
  if (part == 0) return "0 %";
  if (part == whole) return "100 %";
  const double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  if (share < 0.0001) return "< 0.0001 %";
  if (share > 99.99) return "> 99.99 %";
  return fmt::format("{:.3g} %", share);
}

}  // namespace tscatter::app
