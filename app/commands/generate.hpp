// tscatter generate <Operation>: random cases with golden results.
#pragma once

#include "cli/command.hpp"

namespace tscatter::app {

Command generate_command();

}  // namespace tscatter::app
