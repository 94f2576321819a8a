// tscatter help: help on a command or a topic.
#pragma once

#include "cli/command.hpp"

namespace tscatter::app {

Command help_command();

}  // namespace tscatter::app
