// The operations themselves, and run.
#include <fmt/ranges.h>

#include "cli/commands.hpp"
#include "cli/operation_words.hpp"
#include "commands/run.hpp"
#include "format_words.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {
namespace {

int apply_words(CommandTree& tree, const CLI::App& command, const Operation& operation) {
  Job job = job_of_words(tree, command, operation);
  const Words& words = tree.words();
  if (command.get_option("--output")->count() > 0) job.output = words.output;
  job.placement = words.is_in_place ? Placement::in_place : Placement::copy;
  job.journaling = words.keeps_no_journal ? Journaling::left_out : Journaling::done;
  job.durability = words.is_sync ? Durability::power_cut : Durability::kill;
  apply_job(job, words.apply_flags());
  return 0;
}

void add_operation(CommandTree& tree, const Operation& operation) {
  CLI::App& command =
      tree.add_command(std::string(operation.name), std::string(operation.summary),
                       fmt::format("{}", fmt::join(operation.examples, "\n")), "Operations");
  Words& words = tree.words();
  add_operation_flags(tree, command, operation);
  command.add_option("-o,--output", words.output, output_forms() + " or -; left out: printed")
      ->type_name("PATH")
      ->group("Output");
  command
      .add_flag("--in-place", words.is_in_place,
                "change the data file itself, writing only what is touched")
      ->group("Output");
  command
      .add_flag("--no-journal", words.keeps_no_journal,
                "with --in-place: keep no undo journal; a kill leaves the file half changed")
      ->group("Output");
  tree.add_format(command, "what -o - writes: npy (unless stdout is a terminal) or json");
  tree.add_sync(command);
  tree.add_run_flags(command);
  tree.set_action(command, [&] { return apply_words(tree, command, operation); });
}

}  // namespace

void add_operations(CommandTree& tree) {
  for (const Operation* operation : operations()) add_operation(tree, *operation);
}

void add_run(CommandTree& tree) {
  CLI::App& command =
      tree.add_command("run", "apply an operation that a JSON file describes",
                       "tscatter run job.json\ntscatter run --schema > job.schema.json");
  Words& words = tree.words();
  tree.add_argument(command, "JOB", "a JSON file, or - for stdin");
  command.add_flag("--schema", words.wants_schema, "print the JSON Schema of a job")
      ->group("Output");
  tree.add_format(command, "what an output of - is: npy (unless stdout is a terminal) or json");
  tree.add_run_flags(command);
  tree.set_action(command, [&tree, &command, &words] {
    if (words.wants_schema) {
      print_job_schema();
    } else {
      run_job_file(tree.argument(command, 0), {.threads = words.thread_count()},
                   words.apply_flags());
    }
    return 0;
  });
}

}  // namespace tscatter::app
