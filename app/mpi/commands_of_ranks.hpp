// The commands of tscatter-mpi, the same as tscatter's. All ranks compute a job and the cases of a
// batch; rank 0 alone does everything else.
#pragma once

#include <string>
#include <vector>

#include "mpi/ranks.hpp"

namespace tscatter::app {

// Runs the words, without the program's name, on all ranks. Returns the exit code, which all have.
int run_words(Ranks& ranks, const std::vector<std::string>& words);

}  // namespace tscatter::app
