#include "nan_policy.hpp"

#include <cstddef>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"

namespace tscatter::app {

NanPolicy parse_nan_policy(const std::string& text, std::string_view label,
                           const std::string& where) {
  static const std::vector<std::string> names{"text", "propagate", "ignore", "any"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<NanPolicy>(i);
  }
  fail(ErrorKind::usage, label, where, "must be text, propagate, ignore or any{}, got {}",
       nearest_hint(text, names), text);
}

}  // namespace tscatter::app
