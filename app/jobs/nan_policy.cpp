#include "jobs/nan_policy.hpp"

#include <cstddef>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"

namespace tscatter::app {

NanPolicy parse_nan_policy(const std::string& text, std::string_view label,
                           const std::string& where) {
  for (std::size_t i = 0; i < nan_policy_names.size(); ++i) {
    if (nan_policy_names[i] == text) return static_cast<NanPolicy>(i);
  }
  const std::vector<std::string> names(nan_policy_names.begin(), nan_policy_names.end());
  fail(ErrorKind::usage, label, where, "must be text, propagate, ignore or any{}, got {}",
       nearest_hint(text, names), text);
}

}  // namespace tscatter::app
