// Which lines of a batch may name a file, found without parsing JSON: most lines of a long batch
// hold their tensors inline.
#pragma once

#include <string_view>

namespace tscatter::app {

// False only if the line, where it is a JSON object, has no string that could be a path.
bool may_name_file(std::string_view line);

}  // namespace tscatter::app
