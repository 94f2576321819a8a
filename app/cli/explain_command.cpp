#include "cli/commands.hpp"
#include "cli/operation_words.hpp"
#include "commands/compare.hpp"
#include "commands/explain.hpp"

namespace tscatter::app {
namespace {

int explain_words(CommandTree& tree, const CLI::App& command, const Operation& operation) {
  const Words& words = tree.words();
  ExplainOptions options{.threads = words.thread_count()};
  if (!words.at.empty()) options.at = parse_position(words.at, "--at");
  if (!words.worst.empty()) options.worst = parse_worst(words.worst, "--worst");
  explain_job(job_of_words(tree, command, operation), options,
              words.wants_json ? ExplanationForm::json : ExplanationForm::words);
  return 0;
}

void add_flags(CommandTree& tree, CLI::App& command, const Operation& operation) {
  Words& words = tree.words();
  add_operation_flags(tree, command, operation);
  command.add_option("--at", words.at, "tell the history of this element: 1,2,3")
      ->type_name("POSITION")
      ->group("Output");
  command
      .add_option("--worst", words.worst,
                  "list N destinations where most entries meet, and N elements that depend on the "
                  "order (default 5)")
      ->type_name("N")
      ->group("Output");
  command.add_flag("--json", words.wants_json, "the explanation as one JSON object")
      ->group("Output");
  tree.add_threads(command);
  tree.set_action(command, [&] { return explain_words(tree, command, operation); });
}

}  // namespace

void add_explain(CommandTree& tree) {
  tree.add_operation_command(
      "explain", "who writes what: duplicates, coverage, the history of one element",
      "tscatter explain ScatterNDUpdate-15 -d data.npy -i indices.npy -u updates.npy -r sum\n"
      "tscatter explain ScatterNDUpdate-15 -d 8xf32=0 -i '[[4], [4]]' -u '[9, 10]' --at 4\n"
      "tscatter explain SliceScatter-15 -d 3x5xi32=0 -u 2x2xi32=7 --start 0,1 --stop 3,5 --step "
      "2,2 --json",
      [&tree](CLI::App& command, const Operation& operation) {
        add_flags(tree, command, operation);
      });
}

}  // namespace tscatter::app
