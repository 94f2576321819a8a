// tscatter recover FILE: rolls back what a killed run in place left. The next run in place does the
// same.
#pragma once

#include "cli/command.hpp"

namespace tscatter::app {

Command recover_command();

}  // namespace tscatter::app
