#include "text/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <map>

#include "tscatter/core/error.hpp"
#include "tscatter/io/formats/text/element_value.hpp"

namespace tscatter::app {
namespace {

constexpr std::string_view nan_word = "NaN";

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

std::string grouped_digits(std::string digits) {
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

Figure text_figure(std::string_view text) { return {.value = text, .text = escape_control(text)}; }

Figure grouped(std::int64_t count) {
  return {.value = count, .text = grouped_digits(std::to_string(count))};
}

Figure grouped_unsigned(std::uint64_t count) {
  return {.value = count, .text = grouped_digits(std::to_string(count))};
}

Figure part_of(std::int64_t part, std::int64_t whole) {
  return {.value = part, .text = fmt::format("{} of {}", grouped(part).text, grouped(whole).text)};
}

Figure error_figure(const std::optional<double>& error) {
  if (!error) return {.value = {}, .text = "-"};
  if (std::isinf(*error)) return text_figure("Infinity");
  return {.value = *error, .text = fmt::format("{:.6g}", *error)};
}

Figure position_figure(const Position& position) {
  return {.value = position, .text = to_string(position)};
}

Figure dtype_figure(const ElementType& type) { return text_figure(to_string(type)); }

Figure element_figure(std::span<const std::byte> element, const ElementType& type, NanBits bits) {
  if (type.dtype == DType::opaque) return text_figure(hexadecimal(element, type.size));
  std::string text = json_text(element, type.dtype);
  std::erase(text, '"');
  const bool is_nan = text.find(nan_word) != std::string::npos;
  std::string shown = is_nan && bits == NanBits::shown ? bits_text(element, type.word()) : "";
  if (!shown.empty()) text += " " + shown;
  return {.value = std::visit([](const auto& value) { return value_of(value); },
                              decode(element, type.dtype)),
          .text = std::move(text),
          .bits = std::move(shown)};
}

// Only NaNs print alike.
NanBits bits_needed(std::span<const std::span<const std::byte>> elements, const ElementType& type) {
  const DTypeKind kind = info(type.dtype).kind;
  if (kind != DTypeKind::real && kind != DTypeKind::complex) return NanBits::hidden;
  std::map<std::string, std::span<const std::byte>> seen;
  for (const std::span<const std::byte> each : elements) {
    std::string text = json_text(each, type.dtype);
    if (text.find(nan_word) == std::string::npos) continue;
    const auto [alike, is_new] = seen.try_emplace(std::move(text), each);
    if (!is_new && !std::ranges::equal(alike->second, each)) return NanBits::shown;
  }
  return NanBits::hidden;
}

std::pair<Figure, Figure> told_apart(std::span<const std::byte> one,
                                     std::span<const std::byte> other, const ElementType& type) {
  const NanBits bits = bits_needed(std::array{one, other}, type);
  return {element_figure(one, type, bits), element_figure(other, type, bits)};
}

std::string counted(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", grouped(count).text, what, count == 1 ? "" : "s");
}

std::string several(std::int64_t count, std::string_view what) {
  if (count == 1) return fmt::format("1 {}", what);
  const bool has_y = what.ends_with('y');
  return fmt::format("{} {}{}", count, what.substr(0, what.size() - (has_y ? 1 : 0)),
                     has_y ? "ies" : "s");
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
