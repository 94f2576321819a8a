#include <algorithm>

#include "cli/command.hpp"
#include "jobs/index_items.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {

const Command* find_command(std::span<const Command> commands, const std::string& word) {
  const Operation* operation = find_operation(word);
  const auto is_meant = [&](const Command& command) {
    if (operation != nullptr) return command.operation == operation;
    return folded(command.name) == folded(word);
  };
  const auto found = std::ranges::find_if(commands, is_meant);
  return found == commands.end() ? nullptr : &*found;
}

NamedOperation named_operation(const std::string& name) {
  const auto verb = std::ranges::find(index_verbs(), folded(name), &IndexVerb::word);
  if (verb == index_verbs().end()) return {.operation = find_operation(name)};
  return {.operation = find_operation(verb->operation), .word = verb->word};
}

Invocation bound_to(const Command& command, const NamedOperation& named) {
  const bool is_word = !named.word.empty() && command.bind_word;
  return is_word ? command.bind_word(named.operation) : command.bind(named.operation);
}

bool has_case(std::span<const std::string> words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word == "--case" || word.starts_with("--case=");
  });
}

std::vector<std::string> command_names(std::span<const Command> commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) {
    if (command.group != CommandGroup::hidden) names.emplace_back(command.name);
  }
  return names;
}

}  // namespace tscatter::app
