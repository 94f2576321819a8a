#include "commands/commands.hpp"

#include <vector>

#include "commands/apply.hpp"
#include "commands/batch.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {
namespace {

std::vector<Command> all_commands() {
  std::vector<Command> all;
  for (const IndexVerb& verb : index_verbs()) all.push_back(verb_command(verb));
  all.push_back(get_command());
  for (const Operation* operation : operations()) all.push_back(apply_command(*operation));
  const std::vector<Command> others{
      compare_command(),  batch_command(),      verify_command(),  explain_command(),
      generate_command(), show_command(),       convert_command(), run_command(),
      ops_command(),      recover_command(),    parts_command(),   finish_command(),
      digest_command(),   completion_command(), help_command(),    complete_command(),
  };
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> all = all_commands();
  return all;
}

}  // namespace tscatter::app
