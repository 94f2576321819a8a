// The manual page, from the tables that --help is made of.
#pragma once

#include <span>
#include <string>

#include "cli/command.hpp"

namespace tscatter::app {

// In roff, with the macros of man(7).
std::string man_page(std::span<const Command> commands);

}  // namespace tscatter::app
