#include "text/value_text.hpp"

#include <fmt/format.h>

#include "tscatter/io/formats/element_value.hpp"

namespace tscatter::app {
namespace {

std::string hexadecimal(std::span<const std::byte> bytes, std::size_t size) {
  std::string text = "0x";
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return bytes.size() < size ? text + "…" : text;
}

}  // namespace

std::string value_json(std::span<const std::byte> element, const ElementType& type) {
  if (type.dtype == DType::opaque) return '"' + hexadecimal(element, type.size) + '"';
  return json_text(element, type.dtype);
}

std::string value_words(std::span<const std::byte> element, const ElementType& type) {
  std::string text = value_json(element, type);
  std::erase(text, '"');
  return text;
}

std::string percent(std::int64_t part, std::int64_t whole) {
  if (part == 0) return "0 %";
  if (part == whole) return "100 %";
  const double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  if (share < 0.0001) return "< 0.0001 %";
  if (share > 99.99) return "> 99.99 %";
  return fmt::format("{:.3g} %", share);
}

std::string grouped(std::int64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

}  // namespace tscatter::app
