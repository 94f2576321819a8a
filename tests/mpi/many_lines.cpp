// Runs many command lines of tscatter-mpi in one MPI job: to start one for each would take longer
// than what they do. The file has a JSON array of words on each line. Prints the exit codes, and
// ends with the highest.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "mpi/commands_of_ranks.hpp"
#include "mpi/ranks.hpp"

int main(int argc, char** argv) {
  using namespace tscatter::app;
  Ranks ranks(argc, argv);
  set_up_process();
  std::ifstream lines(argv[1]);
  int worst = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto words = nlohmann::json::parse(line).get<std::vector<std::string>>();
    const int exit_code = run_words(ranks, words);
    if (ranks.rank() == 0) std::printf("%d\n", exit_code);
    worst = std::max(worst, exit_code);
  }
  return worst;
}
