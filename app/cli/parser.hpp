// Parses the words of one command by its table. CLI11 splits them into flags and values; the
// messages are the project's own.
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

// Whether a word begins with flags: "-d", "--data=x"; not "-", "-5" and "-inf", which are values.
bool is_flag(std::string_view word);

struct FlagTable {
  std::string name;                      // of the command, for messages
  std::string usage = "tscatter";        // "tscatter show", whose help has the flags
  const Operation* operation = nullptr;  // its operands and attributes are among the flags
  std::vector<Argument> arguments;
  std::vector<Flag> flags;
};

enum class Stop : bool { at_end, at_command };  // at_command: before the first word without a -

struct Parsed {
  std::optional<Error> error;  // the first
  bool is_json = false;        // --json is among the flags, even after an error
  std::size_t words = 0;       // how many were read
};

// Flags with a value are set only if all words are right. Flags without a value are always set, so
// that --help works beside a mistake. Errors are usage: cli.c2 to cli.c5, and what targets throw.
Parsed parse(const FlagTable& table, std::span<const std::string> words, Stop stop = Stop::at_end);

}  // namespace tscatter::app
