// tscatter explain <Operation>: who writes what.
#pragma once

#include "cli/command.hpp"

namespace tscatter::app {

Command explain_command();

}  // namespace tscatter::app
