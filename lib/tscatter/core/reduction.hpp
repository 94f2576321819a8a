// What happens where an update meets the element that is already there.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tscatter {

enum class Reduction : std::uint8_t { none, sum, sub, prod, min, max };

inline constexpr std::array<std::string_view, 6> reduction_names{"none", "sum", "sub",
                                                                 "prod", "min", "max"};

constexpr std::string_view to_string(Reduction reduction) {
  return reduction_names[static_cast<std::size_t>(reduction)];
}

constexpr std::optional<Reduction> reduction_from_name(std::string_view name) {
  for (std::size_t i = 0; i < reduction_names.size(); ++i) {
    if (reduction_names[i] == name) return static_cast<Reduction>(i);
  }
  return std::nullopt;
}

}  // namespace tscatter
