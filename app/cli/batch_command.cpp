#include "cli/commands.hpp"
#include "commands/batch.hpp"
#include "separate_files.hpp"

namespace tscatter::app {
namespace {

void add_selection(Words& words, CLI::App& command) {
  const std::string group = "Selection";
  command.add_option("--filter", words.filter, "only cases whose name matches (*, ?, [a-z], \\*)")
      ->type_name("GLOB")
      ->group(group);
  command.add_option("--shard", words.shard, "only the Kth of N parts, by a hash of the name")
      ->type_name("K/N")
      ->group(group);
  command
      .add_flag("--last-failed", words.only_last_failed,
                "only what failed or did not run the last time, and what is new")
      ->group(group);
  command
      .add_flag("--resume", words.resumes,
                "pass over what an earlier run finished and nothing has changed")
      ->group(group);
  command.add_flag("--list", words.lists, "print the names of the cases, run none")->group(group);
}

void add_goldens(CommandTree& tree, CLI::App& command) {
  Words& words = tree.words();
  const std::string group = "Golden files";
  command
      .add_flag("--update-golden", words.updates_golden,
                "write each expected file that differs anew")
      ->group(group);
  command.add_flag("--force", words.is_forced, "let --update-golden do so where CI is set, too")
      ->group(group);
  command.add_option("--failed-dir", words.failed_dir, "keep the output of each failed case there")
      ->type_name("DIR")
      ->group(group);
  tree.choose(command
                  .add_option("--unreferenced", words.unreferenced,
                              "goldens that no case refers to: ignore, warn (default) or fail")
                  ->type_name("ACTION")
                  ->group(group),
              {"ignore", "warn", "fail"});
}

void add_reports(Words& words, CLI::App& command) {
  const std::string group = "Reports";
  command.add_option("--junit", words.junit, "a report for Jenkins, GitLab and others")
      ->type_name("PATH")
      ->group(group);
  command.add_option("--html", words.html, "a report for people, in one file")
      ->type_name("PATH")
      ->group(group);
  command
      .add_flag("--json", words.wants_json, "an object for each case on stdout, and one for all")
      ->group(group);
}

int run_cases(const BatchFlags& flags) {
  std::vector<NamedFile> reports;
  if (flags.junit) reports.push_back({"--junit", *flags.junit});
  if (flags.html) reports.push_back({"--html", *flags.html});
  require_separate(reports, {{"CASES", flags.path}});
  return run_batch(flags);
}

Unreferenced unreferenced(const Words& words) {
  if (words.unreferenced == "ignore") return Unreferenced::ignore;
  return words.unreferenced == "fail" ? Unreferenced::fail : Unreferenced::warn;
}

BatchFlags batch_flags(const CommandTree& tree, const CLI::App& command, const Words& words) {
  return {.path = tree.argument(command, 0),
          .threads = words.thread_count(),
          .fails_fast = words.fails_fast,
          .filter = given(words.filter),
          .lists = words.lists,
          .shard = given(words.shard),
          .only_last_failed = words.only_last_failed,
          .resumes = words.resumes,
          .updates_golden = words.updates_golden,
          .is_forced = words.is_forced,
          .failed_dir = words.failed_dir,
          .junit = given(words.junit),
          .html = given(words.html),
          .wants_json = words.wants_json,
          .is_quiet = words.is_quiet,
          .color = words.color,
          .unreferenced = unreferenced(words)};
}

}  // namespace

void add_batch(CommandTree& tree) {
  CLI::App& command = tree.add_command(
      "batch", "many jobs, with golden comparison",
      "tscatter batch cases.jsonl\n"
      "tscatter batch cases.jsonl --junit report.xml --html report.html --unreferenced fail\n"
      "tscatter batch cases.jsonl --filter 'slice_*' --fail-fast\n"
      "tscatter batch cases.jsonl --last-failed\n"
      "tscatter batch cases.jsonl --update-golden");
  Words& words = tree.words();
  tree.add_argument(command, "CASES", "a file of JSON Lines, one case a line, or - for stdin");
  add_selection(words, command);
  add_goldens(tree, command);
  add_reports(words, command);
  tree.add_threads(command);
  command.add_flag("--fail-fast", words.fails_fast, "begin no case after the first failure")
      ->group("Run");
  tree.set_action(command, [&] { return run_cases(batch_flags(tree, command, words)); });
}

}  // namespace tscatter::app
