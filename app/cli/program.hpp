// What main() does: runs a command line, and decides the exit code.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace tscatter::app {

// Before anything else: the standard streams, signals, broken mappings.
void set_up_process();

// Runs a command line, without the program's name, and returns the exit code. An error is printed
// if prints() is true; it is false in a process whose errors another process prints.
int run_program(
    std::span<const Command> commands, const std::vector<std::string>& words,
    const std::function<bool()>& prints = [] { return true; });

}  // namespace tscatter::app
