// tscatter compare ACTUAL EXPECTED: the differences between two tensors.
#pragma once

#include "cli/command.hpp"

namespace tscatter::app {

Command compare_command();

}  // namespace tscatter::app
