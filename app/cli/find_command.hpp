// Finds the command that a word means.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace tscatter::app {

// Ignores case, '-' and '_'; an operation's version may be left out. nullptr if there is none.
const Command* find_command(std::span<const Command> commands, const std::string& word);

// Whether the words have --case, so that the flags are those of bind_case().
bool has_case(std::span<const std::string> words);

// Those that are in the help.
std::vector<std::string> command_names(std::span<const Command> commands);

}  // namespace tscatter::app
