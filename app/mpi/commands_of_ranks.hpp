// The commands of tscatter-mpi: those of tscatter. A job is computed by all ranks, all else is done
// by rank 0.
#pragma once

#include <vector>

#include "cli/command.hpp"
#include "mpi/ranks.hpp"

namespace tscatter::app {

// For one command line. REQUIRES: `ranks` outlives them.
std::vector<Command> commands_of_ranks(Ranks& ranks);

}  // namespace tscatter::app
