// The commands of tscatter-mpi, the same as tscatter's. All ranks compute a job and the cases of a
// batch; rank 0 alone does everything else.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "commands/apply.hpp"
#include "commands/batch.hpp"
#include "mpi/ranks.hpp"
#include "parts/dealt_job.hpp"

namespace tscatter::app {

// Runs the words, without the program's name, on all ranks. Returns the exit code, which all have.
int run_words(Ranks& ranks, const std::vector<std::string>& words);

// A batch whose cases are dealt to the ranks. Rank 0 reads it, and writes one report. Called by all
// ranks. Returns the exit code. Throws as Ranks::together.
int batch_by_ranks(Ranks& ranks, const BatchFlags& flags, const Messages& messages);

// A job that all ranks compute together: its parts are dealt to them, its index entries exchanged.
// Computes the parts that are not done, and puts the result under its name. Called by all ranks.
// Throws as Ranks::together: Error (usage, part.p6, cli.c94 and cli.c95; file, part.p2, part.p3 and
// part.p7; and as a run does) and Cancelled.
void run_by_ranks(Ranks& ranks, const Dealing& dealing, const Job& job, const ApplyFlags& flags,
                  const Messages& messages);

}  // namespace tscatter::app
