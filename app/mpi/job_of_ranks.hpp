// A job that all ranks compute together: its parts are dealt to them, its index entries exchanged.
#pragma once

#include "commands/apply.hpp"
#include "mpi/ranks.hpp"
#include "parts/dealt_parts.hpp"

namespace tscatter::app {

// Computes the parts that are not done, and puts the result under its name. Called by all ranks.
// Throws as Ranks::together: Error (usage, part.p6, cli.c94 and cli.c95; file, part.p2, part.p3 and
// part.p7; and as a run does) and Cancelled.
void run_by_ranks(Ranks& ranks, const Dealing& dealing, const Job& job, const ApplyFlags& flags,
                  const Messages& messages);

}  // namespace tscatter::app
