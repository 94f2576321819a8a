// Numbers in flags and the environment.
#pragma once

#include <charconv>
#include <optional>
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

}  // namespace tscatter::app
