// The command line: its words, their meaning, their help. Everything that it starts is in
// commands/.
#pragma once

#include <string>
#include <vector>

namespace tscatter::app {

// Parses the arguments (without the program's name) and runs the command. Returns the exit code: 0,
// or 1 where a comparison found a difference. Throws Error and Cancelled.
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace tscatter::app
