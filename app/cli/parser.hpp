// Reads the words of one command by its table. CLI11 splits them into flags and values; what is
// wrong is said in the project's own messages.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {

struct FlagTable {
  std::string name;  // of the command, for messages
  std::vector<Argument> arguments;
  std::vector<Flag> flags;
};

enum class Stop : bool { at_end, at_command };  // at_command: before the first word without a -

struct Parsed {
  std::optional<Error> error;  // the first
  bool is_json = false;        // --json stands where a flag stands, also after an error
  std::size_t words = 0;       // that were read
};

// The flags of a value are set when all words are read and none is wrong; those without are set
// always, so that --help is heard beside a mistake. Errors are usage: cli.c2 to cli.c5, and what
// targets throw.
Parsed parse(const FlagTable& table, std::span<const std::string> words, Stop stop = Stop::at_end);

}  // namespace tscatter::app
