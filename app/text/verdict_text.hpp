// A verification in words and as JSON: what verify prints, and what a batch says of a failed case.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tscatter/verify/verify.hpp"

namespace tscatter::app {

// "legal: 1,000 elements, 3 of them reordered", "not legal: 3 of 1,000 elements are wrong, worst at
// [0, 1]: got 3.5, in order 3.0", "not legal: shape differs: got [2], expected [3]".
std::string verdict_line(const Verification& verification);

// The report, many lines, the verdict in the last one.
std::string verdict_text(const Verification& verification);

// The same with the verdict in the first line.
std::string verdict_first_text(const Verification& verification);

nlohmann::ordered_json verdict_json(const Verification& verification);

}  // namespace tscatter::app
