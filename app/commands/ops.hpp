// tscatter ops: the operations, their inputs, rules and examples.
#pragma once

#include "cli/command.hpp"

namespace tscatter::app {

Command ops_command();

}  // namespace tscatter::app
