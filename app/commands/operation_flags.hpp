// An operation's operands and attributes as rows, for every command that takes an operation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "batch/cases/case_list.hpp"
#include "cli/command.hpp"
#include "jobs/job.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::app {

// How a command calls the policies: verify has a flag of its own named nan.
enum class PolicyNames : std::uint8_t { flags, keys };

// `set` gets the policy and a word of it.
using SetPolicy = std::function<void(const PolicyInfo& policy, const std::string& word)>;

// The flags that override policies of an operation, from their table.
std::vector<Flag> policy_flags(const Operation& operation, PolicyNames names, const SetPolicy& set);

// "use-init-val": without its dashes.
std::string flag_name(const AttributeInfo& attribute);
std::string flag_name(const OperandInfo& operand);

// What it is for, its values and, unless it must be given, its default.
std::string help_of(const AttributeInfo& attribute);

// What is proposed for a value that the attribute does not have; empty: the nearest one. REQUIRES:
// the operation lives as long.
std::function<std::string(const std::string&)> value_hint(const Operation& operation,
                                                          const AttributeInfo& attribute);

// A job of the command line, without operands.
Job job_of(const Operation& operation);

// The same for a word, `add`: its values are cast as NumPy casts them.
Job job_of_word(const Operation& operation);

// DATA[INDEX], which becomes the job's data and index. `help`: what it is.
Argument indexed_argument(Job& job, const std::string& help);

// The same as flags: data, and an item of the index for each --index.
std::vector<Flag> indexed_flags(Job& job);

// DATA[INDEX] and VALUES. REQUIRES: the job was made by job_of_word().
std::vector<Argument> word_arguments(Job& job, Presence values = Presence::required);

// Operands, attributes, --dtype and policies; they write into `job`. REQUIRES: it was made by
// job_of().
std::vector<Flag> operation_flags(Job& job, PolicyNames names = PolicyNames::flags);

// The same without the operands.
std::vector<Flag> flags_beside_operands(Job& job, PolicyNames names = PolicyNames::flags);

// --case NAME CASES: a case of a batch in the place of an operation and its operands.
struct CaseWords {
  std::optional<std::string> name;
  std::optional<std::string> cases;
};

Flag case_flag(CaseWords& words);
Argument cases_argument(CaseWords& words);

// Throws Error as find_case(). REQUIRES: the words were parsed: both are given.
FoundCase open_case(const CaseWords& words);
// Throws Error (usage, cli.c62), too, if the case has no operation.
FoundCase open_case_of_job(const CaseWords& words);

}  // namespace tscatter::app
