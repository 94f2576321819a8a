// An operation's operands and attributes as flags, for every command that takes an operation.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/command_tree.hpp"
#include "job.hpp"

namespace tscatter::app {

// Operands, attributes and --dtype.
void add_operation_flags(CommandTree& tree, CLI::App& command, const Operation& operation);

// The job that these flags and -j describe; it has no output. Throws Error (usage, cli.c3, cli.c4).
Job job_of_words(CommandTree& tree, const CLI::App& command, const Operation& operation);

}  // namespace tscatter::app
