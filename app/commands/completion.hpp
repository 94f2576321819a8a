// tscatter completion: the script that makes a shell complete tscatter's command lines, and what
// the script asks at each key.
#pragma once

#include "cli/command.hpp"

namespace tscatter::app {

Command completion_command();

// What a script calls; not in the help.
Command complete_command();

}  // namespace tscatter::app
