// tscatter run JOB.json: the same as an operation's command, described in JSON.
#pragma once

#include "commands/apply.hpp"

namespace tscatter::app {

Command run_command(const RunJob& run = apply_job);

}  // namespace tscatter::app
