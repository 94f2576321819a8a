// A command line, parsed by the table of the command that it names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "process/errors.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {

class CommandLine {
 public:
  // Errors in the words are thrown only by run(), once the form of all errors is known. `words`:
  // without the program's name.
  CommandLine(std::span<const Command> commands, const std::vector<std::string>& words);

  // JSON if --json is among the flags; a flag's value, or a word after --, does not count.
  ErrorForm error_form() const { return is_json_ ? ErrorForm::json : ErrorForm::text; }

  // Returns the exit code: 0, or 1 if a difference was found. Throws Error and Cancelled.
  int run() const;

 private:
  using Words = std::span<const std::string>;

  void read_program_flags(Words words);
  void read_command(Words words);
  void read_operation(Words words);
  const Operation* shown_operation() const;
  std::string usage() const;
  void read_flags(Words words);
  void note(const Error& error);
  void print_help() const;

  std::span<const Command> commands_;
  const Command* command_ = nullptr;
  NamedOperation named_;     // after the command
  bool is_of_case_ = false;  // a case of a batch stands in the place of an operation
  ProgramFlags program_;
  Invocation invocation_;
  std::optional<Error> name_error_;     // of the command or its operation
  std::optional<Error> missing_error_;  // neither was given, which help does not need
  std::optional<Error> error_;          // the first of the others
  bool is_empty_ = false;
  bool is_json_ = false;
};

}  // namespace tscatter::app
