// The tree of commands: their flags, help and arguments, and what each of them runs. A command adds
// itself (commands.hpp); what is common to several is added here.
#pragma once

#include <CLI/CLI.hpp>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/words.hpp"
#include "tscatter/ops/operation.hpp"
#include "word_check.hpp"

namespace tscatter::app {

class CommandTree {
 public:
  using Action = std::function<int()>;  // returns the exit code
  using Fill = std::function<void(CLI::App&, const Operation&)>;

  CommandTree();

  CLI::App& root() { return root_; }
  Words& words() { return words_; }

  // `examples`: command lines, one a line.
  CLI::App& add_command(const std::string& name, const std::string& help,
                        const std::string& examples, const std::string& group = "Commands");
  // A command whose first word is an operation: `tscatter verify ScatterNDUpdate-15 …`. `fill` adds
  // the flags of the operation that is named.
  CLI::App& add_operation_command(const std::string& name, const std::string& help,
                                  const std::string& examples, Fill fill);
  void set_action(const CLI::App& command, Action action) {
    actions_[&command] = std::move(action);
  }

  void choose(CLI::Option* option, std::vector<std::string> choices);
  // One positional argument more; all are read into words().arguments.
  void add_argument(CLI::App& command, const std::string& name, const std::string& help);

  // Flags that several commands have.
  void add_dtype(CLI::App& command);
  void add_format(CLI::App& command, const std::string& help);
  void add_sync(CLI::App& command);
  void add_threads(CLI::App& command);
  void add_run_flags(CLI::App& command);  // -j, -n, --json

  // Throws Error (usage, cli.c3) where it was not given.
  std::string argument(const CLI::App& command, std::size_t index) const;

  std::vector<std::string> command_names() const;
  // The command that `word` means; nullptr when there is none.
  CLI::App* find(const std::string& word);
  // Whether an operation follows the command's name.
  bool wants_operation(const CLI::App& command) const { return fills_.contains(&command); }
  // `word` as the operation of the command. Throws Error (usage, cli.c1). REQUIRES:
  // wants_operation(command).
  CLI::App& nested(CLI::App& command, const std::string& word);

  // Adds the flags that one operation has, for the help of a command without an operation.
  // REQUIRES: wants_operation(command).
  void fill_for_help(CLI::App& command);

  CommandWords words_of(const CLI::App& command) {
    return {.app = command, .positionals = positionals_[&command], .choices = choices_};
  }
  int run(const CLI::App* command) { return actions_.at(command)(); }

 private:
  void add_help(CLI::App& command);
  void add_common(CLI::App& command);

  Words words_;
  CLI::App root_{
      "tscatter applies scatter operations to tensor files, exactly, in order and in bounded "
      "memory"};
  std::map<const CLI::App*, Action> actions_;
  std::map<const CLI::App*, Fill> fills_;
  std::map<const CLI::App*, std::vector<std::string>> positionals_;
  std::map<const CLI::Option*, std::vector<std::string>> choices_;
  std::deque<std::string> positional_texts_;
};

}  // namespace tscatter::app
