// Flags of the program itself, and those that every command has besides its own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/command.hpp"

namespace tscatter::app {

enum class HelpForm : bool { brief, full };

struct ProgramFlags {
  std::optional<HelpForm> help;
  bool wants_version = false;
  Messages messages;
};

std::vector<Flag> message_flags(Messages& messages);   // -v, -q and --color
std::vector<Flag> common_flags(ProgramFlags& flags);   // of every command: help and messages
std::vector<Flag> program_flags(ProgramFlags& flags);  // before the command; also --version

}  // namespace tscatter::app
