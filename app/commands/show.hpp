// tscatter show TENSOR: header, statistics and preview; the members of an archive.
#pragma once

#include "cli/command.hpp"

namespace tscatter::app {

Command show_command();

}  // namespace tscatter::app
