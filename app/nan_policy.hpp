// What min and max may do with NaN, as a flag or a job's key says it.
#pragma once

#include <string>
#include <string_view>

#include "tscatter/verify/verify.hpp"

namespace tscatter::app {

// Throws Error (usage, `label`).
NanPolicy parse_nan_policy(const std::string& text, std::string_view label,
                           const std::string& where);

}  // namespace tscatter::app
