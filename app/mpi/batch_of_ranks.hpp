// A batch whose cases are dealt to the ranks. Rank 0 reads it, and writes one report.
#pragma once

#include "cli/command.hpp"
#include "commands/batch_flags.hpp"
#include "mpi/ranks.hpp"

namespace tscatter::app {

// Called by all ranks. Returns the exit code. Throws as Ranks::together.
int batch_by_ranks(Ranks& ranks, const BatchFlags& flags, const Messages& messages);

}  // namespace tscatter::app
