// What tells the format of a file.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace tscatter {

// How many bytes a format may look at to recognise a file.
inline constexpr std::size_t first_bytes_size = 64;

// The beginning of a file, from which its format is told.
using FirstBytes = std::span<const std::byte>;

inline std::string_view text_of(FirstBytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Whether what comes behind blanks is one of these characters, or may come yet.
inline bool begins_with_one_of(FirstBytes bytes, std::string_view characters) {
  const std::string_view text = text_of(bytes);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return text.size() >= first_bytes_size;
  return characters.find(text[begin]) != std::string_view::npos;
}

}  // namespace tscatter
