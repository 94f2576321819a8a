// All commands, in the order of the help: one row each.
#pragma once

#include <span>

#include "cli/command.hpp"

namespace tscatter::app {

std::span<const Command> commands();

// tscatter compare ACTUAL EXPECTED: the differences between two tensors.
Command compare_command();

// tscatter completion: the script that makes a shell complete tscatter's command lines, and what
// the script asks at each key.
Command completion_command();
// What a script calls; not in the help.
Command complete_command();

// tscatter convert IN OUT: between .npy, members of archives and JSON, and between dtypes;
// lossless or refused.
Command convert_command();

// tscatter explain <Operation>: who writes what.
Command explain_command();

// tscatter generate <Operation>: random cases with golden results.
Command generate_command();

// tscatter get DATA[INDEX]: what the index names.
Command get_command();
// The same with data and index as flags, for the library for C.
Command get_command_of_flags();

// tscatter help: help on a command or a topic.
Command help_command();

// tscatter ops: the operations, their inputs, rules and examples.
Command ops_command();

// tscatter recover FILE: rolls back what a killed run in place left. The next run in place does
// the same.
Command recover_command();

// tscatter show TENSOR: header, statistics and preview; the members of an archive.
Command show_command();

// tscatter verify <Operation>: whether a result is legal for some order of the updates.
Command verify_command();

}  // namespace tscatter::app
