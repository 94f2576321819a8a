// What the library for C says of itself and of the operations, as JSON: languages make their
// functions from it.
#pragma once

#include <string>

#include "cli/command.hpp"

namespace tscatter::app {

// One object in a line, with its line end. Keys: docs/c.md.
std::string description();

// An array in a line: what each flag of the command is called and takes.
std::string flags_text(const Command& command, const Operation* operation);

}  // namespace tscatter::app
