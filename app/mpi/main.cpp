// tscatter-mpi: the program for the ranks of an MPI job. Only decides the exit code.
#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "cli/program.hpp"
#include "mpi/commands_of_ranks.hpp"
#include "mpi/ranks.hpp"

namespace {

// Help and the like are printed by rank 0.
void print_nothing() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDOUT_FILENO);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tscatter::app;
  Ranks ranks(argc, argv);
  set_up_process();
  if (ranks.rank() != 0) print_nothing();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  return run_words(ranks, words);
}
