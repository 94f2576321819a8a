// What the words of a command line are, before CLI11 reads them: each flag is known, each value is
// one that the flag takes, no argument is too many. CLI11 says less of what is wrong.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tscatter::app {

// What one command takes.
struct CommandWords {
  const CLI::App& app;                          // its flags
  const std::vector<std::string>& positionals;  // names of its arguments
  const std::map<const CLI::Option*, std::vector<std::string>>&
      choices;  // of flags that take one of a few values
};

// Returns the arguments without a flag. Throws Error (usage, cli.c2, cli.c4 or cli.c5).
std::vector<std::string> check_words(const CommandWords& command,
                                     std::span<const std::string> words);

}  // namespace tscatter::app
