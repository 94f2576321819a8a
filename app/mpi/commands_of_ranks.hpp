// The commands of tscatter-mpi: those of tscatter. A job and the cases of a batch are computed by
// all ranks, all else is done by rank 0.
#pragma once

#include <string>
#include <vector>

#include "mpi/ranks.hpp"

namespace tscatter::app {

// Runs the words, without the program's name, on all ranks. Returns the exit code, which all have.
int run_words(Ranks& ranks, const std::vector<std::string>& words);

}  // namespace tscatter::app
