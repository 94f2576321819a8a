// Numbers in flags, in the environment, and in what the program writes and reads again.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tscatter::app {

// The number that is all of `text`.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return number;
}

// 16 digits of base 16, and back; nullopt for any other text.
inline std::string hex_text(std::uint64_t number) { return fmt::format("{:016x}", number); }
inline std::optional<std::uint64_t> hex_in(std::string_view text) {
  constexpr std::size_t digits = 16;
  constexpr int base = 16;
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number, base);
  const bool is_number = text.size() == digits && result.ec == std::errc{} && result.ptr == end;
  return is_number ? std::optional(number) : std::nullopt;
}

}  // namespace tscatter::app
