// Which lines of a batch may name a file, found without reading them as JSON: most lines of a long
// batch hold their tensors themselves.
#pragma once

#include <string_view>

namespace tscatter::app {

// False only where the line, if it is a JSON object, has no string that could be a path.
bool may_name_file(std::string_view line);

}  // namespace tscatter::app
