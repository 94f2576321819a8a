// What tells the format of a file.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace tscatter {

// The beginning of a file, from which its format is told.
using FirstBytes = std::span<const std::byte>;

inline std::string_view text_of(FirstBytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace tscatter
