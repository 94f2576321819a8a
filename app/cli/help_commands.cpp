// ops and help.
#include <fmt/ranges.h>

#include "cli/commands.hpp"
#include "commands/help.hpp"
#include "commands/ops.hpp"
#include "result.hpp"

namespace tscatter::app {
namespace {

int describe(const Words& words) {
  if (!words.rule.empty()) {
    print_rule(words.rule);
  } else if (words.arguments.empty()) {
    list_operations();
  } else {
    describe_operation(words.arguments[0]);
  }
  return 0;
}

int help_on(CommandTree& tree) {
  const std::vector<std::string>& asked = tree.words().arguments;
  if (asked.empty()) {
    print(HelpFormatter().make_help(&tree.root(), "", CLI::AppFormatMode::All));
  } else if (CLI::App* named = tree.find(asked[0])) {
    if (tree.wants_operation(*named)) tree.fill_for_help(*named);
    print(named->help("tscatter", CLI::AppFormatMode::All));
  } else {
    print_topic(asked[0], tree.command_names());
  }
  return 0;
}

}  // namespace

void add_ops(CommandTree& tree) {
  CLI::App& command =
      tree.add_command("ops", "the operations, their inputs, rules and examples",
                       "tscatter ops\ntscatter ops ScatterNDUpdate-15\ntscatter ops --rule "
                       "scatter_nd_update_15.c4");
  Words& words = tree.words();
  tree.add_argument(command, "NAME", "an operation (optional)");
  command.add_option("--rule", words.rule, "print the rule of this label")
      ->type_name("LABEL")
      ->group("Output");
  tree.set_action(command, [&words] { return describe(words); });
}

void add_help(CommandTree& tree) {
  CLI::App& command = tree.add_command("help", "help on a command or a topic",
                                       "tscatter help operands\ntscatter help ScatterUpdate-3");
  tree.add_argument(command, "TOPIC",
                    fmt::format("a command, or {}", fmt::join(help_topics(), ", ")));
  tree.set_action(command, [&tree] { return help_on(tree); });
}

}  // namespace tscatter::app
