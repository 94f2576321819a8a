// tscatter show TENSOR: header, statistics and preview; of an archive its members.
#pragma once

#include "cli/command.hpp"

namespace tscatter::app {

Command show_command();

}  // namespace tscatter::app
