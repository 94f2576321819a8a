// Which reason each group of failures is counted under, where several explain it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tscatter::app {

// Failures that have the same reasons.
struct ReasonGroup {
  std::vector<std::string> reasons;
  std::int64_t failed = 0;
};

// The reason that most failures share, with the places of all groups that have it; then that which
// most of the others share; and so on. Of equal ones that of the earlier group, its first one
// first.
//   {a, b}: 1, {b}: 2, {c}: 1 -> b: {0, 1}, c: {2}
// REQUIRES: each group has a reason, none twice.
struct SharedReason {
  std::string reason;
  std::int64_t failed = 0;
  std::vector<std::size_t> groups;
};
std::vector<SharedReason> shared_reasons(const std::vector<const ReasonGroup*>& groups);

}  // namespace tscatter::app
