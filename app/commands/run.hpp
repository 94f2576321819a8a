// tscatter run JOB.json: the same as an operation's command, described in JSON.
#pragma once

#include "cli/command.hpp"

namespace tscatter::app {

Command run_command();

}  // namespace tscatter::app
