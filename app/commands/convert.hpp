// tscatter convert IN OUT: between .npy, members of archives and JSON, and between dtypes; lossless
// or refused.
#pragma once

#include "cli/command.hpp"

namespace tscatter::app {

Command convert_command();

}  // namespace tscatter::app
