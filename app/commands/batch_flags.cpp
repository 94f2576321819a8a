#include "commands/batch_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "batch/reports/reports.hpp"
#include "cli/targets.hpp"
#include "jobs/written_file.hpp"
#include "process/environment.hpp"
#include "text/number_text.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

bool reads_stdin(const BatchFlags& flags) { return std::ranges::count(flags.cases, "-") > 0; }

// CI services set CI, most of them to true, some to 1.
void require_no_ci() {
  const std::string ci = variable("CI").value_or("0");
  // cli.c42
  if (ci != "0" && ci != "false") {
    fail(ErrorKind::usage, "cli.c42", "--update-golden", "needs --force where CI={}", ci);
  }
}

// The flag means something only where cases are run.
Flag of_a_run(BatchFlags& flags, Flag flag) { return noting(flags.of_a_run, std::move(flag)); }

std::vector<Flag> of_a_run(BatchFlags& flags, std::vector<Flag> some) {
  for (Flag& flag : some) flag = of_a_run(flags, std::move(flag));
  return some;
}

std::vector<Flag> selection_flags(BatchFlags& flags) {
  Selection& selection = flags.selection;
  const auto parse = [](const auto& part, const auto&) { return parse_shard(part); };
  return of_a_run(
      flags,
      in_group(
          "Selection",
          {repeatable(value_flag(
               "filter", "GLOB",
               "only cases whose whole name matches (*, ?, [a-z], \\*) this or another --filter",
               texts(selection.filters))),
           repeatable(value_flag("tag", "TAG", "only cases with this tag, or that of another --tag",
                                 texts(selection.tags))),
           value_flag("shard", "K/N",
                      "only the Kth of N shares of the cases, by a hash of the name",
                      parsed(selection.shard, parse)),
           switch_flag("last-failed",
                       "only what failed or did not run the last time, and what is new",
                       turn_on(selection.only_last_failed)),
           switch_flag("resume", "skip what an earlier run finished, if nothing has changed",
                       turn_on(selection.resumes)),
           value_flag("state", "PATH",
                      "remember runs in this file or folder (default: $XDG_STATE_HOME/tscatter)",
                      text(flags.state)),
           switch_flag("list",
                       "print the names of the cases and, after a tab, their tags; run none",
                       turn_on(flags.lists))}));
}

std::vector<Flag> golden_flags(BatchFlags& flags) {
  return in_group(
      "Golden files",
      {of_a_run(flags, switch_flag("update-golden", "rewrite each expected file that differs",
                                   turn_on(flags.updates_golden))),
       switch_flag("force",
                   "allow --update-golden even if CI is set, and replacing files of another kind",
                   turn_on(flags.is_forced)),
       of_a_run(flags,
                with_letter('n', switch_flag("dry-run",
                                             "with --update-golden: say what would be written, and "
                                             "write nothing",
                                             turn_on(flags.is_dry)))),
       of_a_run(flags, value_flag("failed-dir", "DIR", "keep the output of each failed case there",
                                  text(flags.failed_dir))),
       value_flag("unreferenced", "ACTION",
                  "goldens that no case refers to: ignore, warn (default) or fail",
                  one_of<Unreferenced, Unreferenced>(flags.unreferenced,
                                                     {{"ignore", Unreferenced::ignore},
                                                      {"warn", Unreferenced::warn},
                                                      {"fail", Unreferenced::fail}}))});
}

std::vector<Flag> report_flags(BatchFlags& flags) {
  return in_group(
      "Reports",
      {of_a_run(flags, details_flag(flags)),
       of_a_run(flags, switch_flag("by-word",
                                   "what the failures have in common: words of their names, dtype, "
                                   "reduction, diagnosis",
                                   turn_on(flags.by_word))),
       junit_flag(flags), html_flag(flags), of_a_run(flags, wait_flag()),
       of_a_run(flags,
                in_group("Run", switch_flag("fail-fast", "start no case after the first failure",
                                            turn_on(flags.fails_fast))))});
}

// These mean something with --list, too.
std::vector<Flag> run_flags(BatchFlags& flags) {
  return in_group("Reports",
                  {switch_flag("json", "an object for each case on stdout, and one for all",
                               turn_on(flags.wants_json)),
                   of_a_run(flags, threads_flag(flags.threads))});
}

}  // namespace

Flag details_flag(BatchFlags& flags) {
  constexpr std::int64_t most = 1'000'000'000;
  Target into = integer(flags.details, 0, most);
  into.is_alias = [](const std::string& text) { return number_in<std::int64_t>(text).has_value(); };
  Flag flag = value_flag("details", "[N]",
                         "what differs and the files of the first N failures (default 10)",
                         std::move(into));
  flag.implied = "10";
  return flag;
}

Flag junit_flag(BatchFlags& flags) {
  return value_flag("junit", "PATH", "a report for Jenkins, GitLab and others; - is stdout",
                    text(flags.junit));
}

Flag html_flag(BatchFlags& flags) {
  return value_flag("html", "PATH", "a report for people, in one file; - is stdout",
                    text(flags.html));
}

void require_sense(const BatchFlags& flags) {
  // cli.c45
  if (flags.is_dry && !flags.updates_golden) {
    fail(ErrorKind::usage, "cli.c45", "--dry-run",
         "needs --update-golden (--list prints the cases)");
  }
  if (flags.updates_golden && !flags.is_forced && !flags.is_dry) require_no_ci();
  if (!flags.failed_dir.empty()) require_folder_name("--failed-dir", flags.failed_dir);
  require_one_on_stdout(report_places(flags.junit, flags.html, flags.pairs == nullptr));
  // cli.c44
  if (reads_stdin(flags) && (flags.looks_at_earlier_runs() || flags.state)) {
    fail(ErrorKind::usage, "cli.c44",
         flags.selection.resumes            ? "--resume"
         : flags.selection.only_last_failed ? "--last-failed"
                                            : "--state",
         "needs a batch that is a file, got stdin");
  }
}

Selection selection_of(const BatchFlags& flags) {
  Selection selection = flags.selection;
  if (!selection.shard && !flags.pairs) selection.shard = shard_of_environment();
  return selection;
}

RunState::Use use_of_state(const BatchFlags& flags, const Selection& selection) {
  if (reads_stdin(flags) || flags.pairs) return RunState::Use::none;
  if (flags.looks_at_earlier_runs()) return RunState::Use::looked;
  if (flags.lists || flags.is_dry) return RunState::Use::none;
  return selection.takes_all() ? RunState::Use::anew : RunState::Use::added;
}

StatePlace state_place(const BatchFlags& flags, const Selection& selection) {
  StatePlace place{.word = flags.state};
  if (selection.shard)
    place.shard = fmt::format("{}-of-{}", selection.shard->part, selection.shard->of);
  return place;
}

std::vector<Flag> batch_flags(BatchFlags& flags) {
  return joined(selection_flags(flags), without("list", golden_flags(flags)),
                without("list", report_flags(flags)), run_flags(flags));
}

}  // namespace tscatter::app
