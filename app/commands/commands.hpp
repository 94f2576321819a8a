// All commands, in the order of the help: one row each.
#pragma once

#include <span>

#include "cli/command.hpp"

namespace tscatter::app {

std::span<const Command> commands();

}  // namespace tscatter::app
