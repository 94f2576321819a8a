// Only decides the exit code.
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "commands/commands.hpp"

int main(int argc, char** argv) {
  tscatter::app::set_up_process();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  return tscatter::app::run_program(tscatter::app::commands(), words);
}
