// What is legal besides the text's own result, as a flag or a job's key gives it.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tscatter/verify/verify.hpp"

namespace tscatter::app {

// In the order of NanPolicy.
inline constexpr std::array<std::string_view, 4> nan_policy_names{"text", "propagate", "ignore",
                                                                  "any"};

// In the order of OtherBits.
inline constexpr std::array<std::string_view, 2> other_bits_names{"kept", "any"};

// In the order of Blocks.
inline constexpr std::array<std::string_view, 2> blocks_names{"whole", "mixed"};

// These throw Error (usage, `label`).
NanPolicy parse_nan_policy(const std::string& text, std::string_view label,
                           const std::string& where);
OtherBits parse_other_bits(const std::string& text, std::string_view label,
                           const std::string& where);
Blocks parse_blocks(const std::string& text, std::string_view label, const std::string& where);

}  // namespace tscatter::app
