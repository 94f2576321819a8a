// Which lines of a batch must be looked at before it is run, found without parsing JSON: most lines
// of a long batch hold their tensors inline.
#pragma once

#include <string_view>

namespace tscatter::app {

// False only if the line, where it is a JSON object, has no string that could be a path, and gives
// no defaults.
bool may_need_plan(std::string_view line);

}  // namespace tscatter::app
