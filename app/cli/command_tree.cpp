#include "cli/command_tree.hpp"

#include <memory>
#include <utility>

#include "commands/help.hpp"
#include "format_words.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {
namespace {

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const Operation* operation : operations()) names.emplace_back(operation->name);
  return names;
}

}  // namespace

CommandTree::CommandTree() {
  root_.name("tscatter");
  root_.formatter(std::make_shared<HelpFormatter>());
  root_.fallthrough(false);
  add_help(root_);
  root_.add_flag("--version", words_.wants_version, "version, compiler and libraries")
      ->group("Help");
  add_common(root_);
}

CLI::App& CommandTree::add_command(const std::string& name, const std::string& help,
                                   const std::string& examples, const std::string& group) {
  CLI::App& command = *root_.add_subcommand(name, help)->group(group);
  command.footer(examples);
  add_help(command);
  add_common(command);
  return command;
}

CLI::App& CommandTree::add_operation_command(const std::string& name, const std::string& help,
                                             const std::string& examples, Fill fill) {
  CLI::App& command = add_command(name, help, examples);
  command.require_subcommand(0, 1);  // the help asks for it
  fills_[&command] = std::move(fill);
  return command;
}

void CommandTree::add_help(CLI::App& command) {
  command.set_help_flag("-h", "short help")->group("Help");
  command.set_help_all_flag("--help", "help, with examples")->group("Help");
}

void CommandTree::add_common(CLI::App& command) {
  command.add_flag("-v,--verbose", words_.verbosity, "say on stderr what is done")
      ->group("Messages");
  command.add_flag("-q,--quiet", words_.is_quiet, "no progress line and no log")->group("Messages");
  choose(command.add_option("--color", words_.color, "never, auto or always")->group("Messages"),
         {"never", "auto", "always"});
}

void CommandTree::choose(CLI::Option* option, std::vector<std::string> choices) {
  choices_.emplace(option, std::move(choices));
}

void CommandTree::add_argument(CLI::App& command, const std::string& name,
                               const std::string& help) {
  positionals_[&command].push_back(name);
  command.add_option(name, positional_texts_.emplace_back(), help)->group("Arguments");
}

void CommandTree::add_dtype(CLI::App& command) {
  command
      .add_option(
          "--dtype", words_.dtype,
          "dtype of values that name none, and how to read 1- and 2-byte records (bfloat16)")
      ->type_name("DTYPE")
      ->group("Operands");
}

void CommandTree::add_format(CLI::App& command, const std::string& help) {
  choose(command.add_option("--format", words_.format, help)->type_name("FORMAT")->group("Output"),
         stdout_names());
}

void CommandTree::add_sync(CLI::App& command) {
  command.add_flag("--sync", words_.is_sync, "survive a power cut, not only a kill")
      ->group("Output");
}

void CommandTree::add_threads(CLI::App& command) {
  command.add_option("-j,--threads", words_.threads, "workers (default, and 0: all cores)")
      ->type_name("N")
      ->group("Run");
}

void CommandTree::add_run_flags(CLI::App& command) {
  add_threads(command);
  command
      .add_flag("-n,--dry-run", words_.is_dry_run,
                "check every rule, say what would be done, write nothing")
      ->group("Run");
  command
      .add_flag("--json", words_.wants_json,
                "a report of the run as one JSON object on stdout (on stderr where stdout has the "
                "tensor)")
      ->group("Run");
}

std::string CommandTree::argument(const CLI::App& command, std::size_t index) const {
  if (index < words_.arguments.size()) return words_.arguments[index];
  // cli.c3
  fail(ErrorKind::usage, "cli.c3", command.get_name(), "{} must be given, got nothing",
       positionals_.at(&command)[index]);
}

std::vector<std::string> CommandTree::command_names() const {
  std::vector<std::string> names;
  for (const CLI::App* command : root_.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

CLI::App* CommandTree::find(const std::string& word) {
  if (const Operation* operation = find_operation(word))
    return root_.get_subcommand(std::string(operation->name));
  for (const std::string& name : command_names()) {
    if (folded(name) == folded(word)) return root_.get_subcommand(name);
  }
  return nullptr;
}

void CommandTree::fill_for_help(CLI::App& command) {
  fills_.at (&command)(command, operation_for_help());
}

CLI::App& CommandTree::nested(CLI::App& command, const std::string& word) {
  const Operation* operation = find_operation(word);
  // cli.c1
  if (operation == nullptr) {
    fail(ErrorKind::usage, "cli.c1", command.get_name(),
         "the next word must be an operation{}, got {}", nearest_hint(word, operation_names()),
         word);
  }
  CLI::App& found =
      *command.add_subcommand(std::string(operation->name), command.get_description());
  found.footer(command.get_footer());
  add_help(found);
  add_common(found);
  fills_.at (&command)(found, *operation);
  return found;
}

}  // namespace tscatter::app
