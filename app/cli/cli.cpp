#include "cli/cli.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "cli/commands.hpp"
#include "commands/help.hpp"
#include "log.hpp"
#include "result.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"

namespace tscatter::app {
namespace {

// In the order of the help.
void add_commands(CommandTree& tree) {
  add_operations(tree);
  add_run(tree);
  add_batch(tree);
  add_compare(tree);
  add_verify(tree);
  add_explain(tree);
  add_generate(tree);
  add_show(tree);
  add_convert(tree);
  add_ops(tree);
  add_recover(tree);
  add_help(tree);
}

// The index of the command's word: the first that is no flag of the program itself.
std::size_t command_index(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--color") {
      ++i;
    } else if (arguments[i].empty() || arguments[i][0] != '-') {
      return i;
    }
  }
  return arguments.size();
}

CLI::App& require_command(CommandTree& tree, const std::string& word) {
  if (CLI::App* command = tree.find(word)) return *command;
  // cli.c1
  fail(ErrorKind::usage, "cli.c1", "command line",
       "the first word must be a command or an operation{}, got {}",
       nearest_hint(word, tree.command_names()), word);
}

void parse(CLI::App& root, std::vector<std::string> words) {
  std::ranges::reverse(words);
  try {
    root.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    // cli.c4
    fail(ErrorKind::usage, "cli.c4", "command line", "the flags must be as --help says, got {}",
         error.what());
  }
}

// -h and --help, and which was asked for.
std::optional<CLI::AppFormatMode> wanted_help(std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word == "--") return std::nullopt;
    if (word == "--help") return CLI::AppFormatMode::All;
    if (word == "-h") return CLI::AppFormatMode::Normal;
  }
  return std::nullopt;
}

// A command, and where in the words its name ends.
struct NamedCommand {
  CLI::App* app;
  std::size_t end;
};

// Names in `words` become canonical ones.
NamedCommand named_command(CommandTree& tree, std::vector<std::string>& words) {
  const std::size_t at = command_index(words);
  if (at == words.size()) return {.app = nullptr, .end = at};
  CLI::App& command = require_command(tree, words[at]);
  words[at] = command.get_name();
  const std::size_t next = at + 1;
  if (!tree.wants_operation(command)) return {.app = &command, .end = next};
  if (next < words.size() && !words[next].starts_with('-')) {
    CLI::App& nested = tree.nested(command, words[next]);
    words[next] = nested.get_name();
    return {.app = &nested, .end = next + 1};
  }
  // cli.c3
  if (!wanted_help(words)) {
    fail(ErrorKind::usage, "cli.c3", command.get_name(), "an operation must follow, got {}",
         next < words.size() ? words[next] : "nothing");
  }
  tree.fill_for_help(command);
  return {.app = &command, .end = next};
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    print_introduction();
    return 0;
  }
  CommandTree tree;
  add_commands(tree);
  std::vector<std::string> canonical(arguments);
  const auto [command, end] = named_command(tree, canonical);
  CLI::App& named = command != nullptr ? *command : tree.root();
  const std::span words(arguments);
  if (const auto mode = wanted_help(words)) {
    print(named.help(command != nullptr ? "tscatter" : "", *mode));
    return 0;
  }
  const std::span global = words.first(command_index(arguments));
  if (std::ranges::count(global, "--version") > 0) {
    print_version();
    return 0;
  }

  check_words(tree.words_of(tree.root()), global);
  // cli.c3
  if (command == nullptr)
    fail(ErrorKind::usage, "cli.c3", "command line", "a command must be given, got none");
  tree.words().arguments = check_words(tree.words_of(named), words.subspan(end));

  parse(tree.root(), std::move(canonical));
  set_up_log(tree.words().is_quiet ? 0 : tree.words().verbosity, tree.words().color);
  return tree.run(command);
}

}  // namespace tscatter::app
