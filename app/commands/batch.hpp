// tscatter batch CASES.jsonl: many jobs, with golden comparison.
#pragma once

#include "cli/command.hpp"

namespace tscatter::app {

Command batch_command();

}  // namespace tscatter::app
