// Characters without regard to locale; letters without regard to case.
#pragma once

#include <algorithm>
#include <string_view>

namespace tscatter {

// Of a byte, or of what stands for the end (-1), which is neither.
constexpr bool is_digit(int c) { return c >= '0' && c <= '9'; }
constexpr bool is_blank(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Without blanks at its ends.
constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

constexpr bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         equal_ignoring_case(text.substr(text.size() - end.size()), end);
}

}  // namespace tscatter
