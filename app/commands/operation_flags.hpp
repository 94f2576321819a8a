// An operation's operands and attributes as rows, for every command that takes an operation.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "commands/policy_flags.hpp"
#include "jobs/job.hpp"

namespace tscatter::app {

// "use-init-val": without its dashes.
std::string flag_name(const AttributeInfo& attribute);

// What it is for, its values and, unless it must be given, its default.
std::string help_of(const AttributeInfo& attribute);

// What is proposed for a value that the attribute does not have; empty: the nearest one. REQUIRES:
// the operation lives as long.
std::function<std::string(const std::string&)> value_hint(const Operation& operation,
                                                          const AttributeInfo& attribute);

// A job of the command line, without operands.
Job job_of(const Operation& operation);

// Operands, attributes, --dtype and policies; they write into `job`. REQUIRES: it was made by
// job_of().
std::vector<Flag> operation_flags(Job& job, PolicyNames names = PolicyNames::flags);

}  // namespace tscatter::app
