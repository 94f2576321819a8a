// tscatter verify <Operation>: whether a result is legal for some order of the updates.
#pragma once

#include "cli/command.hpp"

namespace tscatter::app {

Command verify_command();

}  // namespace tscatter::app
