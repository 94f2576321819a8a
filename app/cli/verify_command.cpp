#include "cli/commands.hpp"
#include "cli/operation_words.hpp"
#include "commands/compare.hpp"
#include "commands/verify.hpp"
#include "nan_policy.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

void add_legality(CommandTree& tree, CLI::App& command) {
  Words& words = tree.words();
  const std::string group = "Legality";
  command.add_option("--actual", words.actual, "the result that something else computed")
      ->type_name("TENSOR")
      ->group("Operands");
  tree.choose(command
                  .add_option("--nan", words.nan,
                              "what min and max may do with NaN beside what the text says: text "
                              "(default), propagate, ignore or any")
                  ->type_name("NAME")
                  ->group(group),
              {"text", "propagate", "ignore", "any"});
  command
      .add_flag("--ftz", words.flushes_to_zero,
                "subnormal numbers may have been taken as zero, and flushed to it")
      ->group(group);
}

int verify_words(CommandTree& tree, const CLI::App& command, const Operation& operation) {
  const Words& words = tree.words();
  const Job job = job_of_words(tree, command, operation);
  // cli.c50
  if (command.get_option("--actual")->count() == 0) {
    fail(ErrorKind::usage, "cli.c50", "--actual",
         "must be given: the result that is verified, got nothing");
  }
  VerifyOptions options{.threads = job.threads};
  if (!words.nan.empty()) options.nan = parse_nan_policy(words.nan, "cli.c4", "--nan");
  if (words.flushes_to_zero) options.subnormals = Subnormals::flushed;
  if (!words.worst.empty()) options.worst = parse_worst(words.worst, "--worst");
  constexpr int not_legal = 1;
  const VerdictForm form = words.wants_json ? VerdictForm::json : VerdictForm::words;
  return verify_job(job, words.actual, options, form) ? 0 : not_legal;
}

void fill(CommandTree& tree, CLI::App& command, const Operation& operation) {
  Words& words = tree.words();
  add_operation_flags(tree, command, operation);
  add_legality(tree, command);
  command.add_option("--worst", words.worst, "list the N worst elements (default 5)")
      ->type_name("N")
      ->group("Output");
  command.add_flag("--json", words.wants_json, "the verdict as one JSON object")->group("Output");
  tree.add_threads(command);
  tree.set_action(command, [&] { return verify_words(tree, command, operation); });
}

}  // namespace

void add_verify(CommandTree& tree) {
  tree.add_operation_command(
      "verify", "whether a result is legal for some order of the updates",
      "tscatter verify ScatterNDUpdate-15 -d data.npy -i indices.npy -u updates.npy -r sum "
      "--actual "
      "device.npy\n"
      "tscatter verify ScatterUpdate-3 -d data.npy -i indices.npy -u updates.npy -a 0 --actual "
      "device.npy --json",
      [&tree](CLI::App& command, const Operation& operation) { fill(tree, command, operation); });
}

}  // namespace tscatter::app
