// What of a line must be known before the batch is run, found without parsing JSON: most lines of a
// long batch hold their tensors inline.
#pragma once

#include <optional>
#include <string_view>

namespace tscatter::app {

struct LineScan {
  // False only if the line, where it is a JSON object, has no string that could be a path, and
  // gives no defaults.
  bool may_need_plan = false;
  // Its name, where the line is a case. Known if no plan is needed.
  std::optional<std::string_view> name = {};
};

LineScan scan_of(std::string_view line);

inline bool may_need_plan(std::string_view line) { return scan_of(line).may_need_plan; }

}  // namespace tscatter::app
