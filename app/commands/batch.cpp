#include "commands/batch.hpp"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "batch/batch_run.hpp"
#include "batch/console.hpp"
#include "batch/file_plan.hpp"
#include "batch/report_html.hpp"
#include "batch/report_json.hpp"
#include "batch/report_junit.hpp"
#include "batch/report_text.hpp"
#include "cli/targets.hpp"
#include "jobs/result.hpp"
#include "process/environment.hpp"
#include "process/errors.hpp"
#include "process/log.hpp"
#include "process/signals.hpp"
#include "text/json_line.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/io/files/output_file.hpp"

namespace tscatter::app {
namespace {

using Clock = std::chrono::steady_clock;

enum class Unreferenced : std::uint8_t { ignore, warn, fail };  // goldens that no case refers to

struct BatchFlags {
  std::string path;  // the batch; - is stdin
  int threads = 0;   // 0: one per core
  bool fails_fast = false;
  std::optional<std::string> filter;
  bool lists = false;
  std::optional<Shard> shard;
  bool only_last_failed = false;
  bool resumes = false;
  bool updates_golden = false;
  bool is_forced = false;  // updates, although CI is set
  std::string failed_dir;
  std::optional<std::string> junit;
  std::optional<std::string> html;
  bool wants_json = false;
  Unreferenced unreferenced = Unreferenced::warn;
};

bool is_stdin(const BatchFlags& flags) { return flags.path == "-"; }

// CI services set CI, most of them to true, some to 1.
void require_no_ci() {
  const std::string ci = variable("CI").value_or("0");
  // cli.c42
  if (ci != "0" && ci != "false") {
    fail(ErrorKind::usage, "cli.c42", "--update-golden",
         "must not be given without --force where CI={}, got it", ci);
  }
}

void require_sense(const BatchFlags& flags) {
  if (flags.updates_golden && !flags.is_forced) require_no_ci();
  // cli.c44
  if (is_stdin(flags) && (flags.only_last_failed || flags.resumes)) {
    fail(ErrorKind::usage, "cli.c44", flags.resumes ? "--resume" : "--last-failed",
         "must be given with a batch that is a file, got stdin");
  }
}

Selection selection_of(const BatchFlags& flags) {
  Selection selection;
  selection.filter = flags.filter;
  selection.shard = flags.shard ? flags.shard : shard_of_environment();
  selection.only_last_failed = flags.only_last_failed;
  selection.resumes = flags.resumes;
  return selection;
}

RunState::Use use_of_state(const BatchFlags& flags, const Selection& selection) {
  if (is_stdin(flags)) return RunState::Use::none;
  if (flags.only_last_failed || flags.resumes) return RunState::Use::looked;
  if (flags.lists) return RunState::Use::none;
  return selection.takes_all() ? RunState::Use::anew : RunState::Use::added;
}

BatchFile batch_file(const BatchFlags& flags) {
  if (is_stdin(flags)) return {.path = "-", .name = "<stdin>", .base = {}};
  return {.path = flags.path,
          .name = flags.path,
          .base = std::filesystem::path(flags.path).parent_path()};
}

// "cases" for "golden/cases.jsonl"
std::string suite_of(const BatchFlags& flags) {
  return is_stdin(flags) ? "stdin" : std::filesystem::path(flags.path).stem().native();
}

// Creates the directory if it is missing. Throws Error (file.f4) if no file can be created in it.
void make_directory(const std::string& path) {
  std::error_code ignored;  // the attempt to create a file reports what is wrong
  std::filesystem::create_directories(path, ignored);
  try {
    const OutputFile trial(std::filesystem::path(path) / "trial.npy", Durability::kill);
  } catch (const Error& error) {
    throw Error(error.kind(), error.label(), path, error.message());
  }
}

// One run of the command, with its parts in the order of their construction.
class Batch {
 public:
  // The batch is open before the state of its last run is touched.
  Batch(const BatchFlags& flags, const Messages& messages, Selection selection)
      : flags_{flags},
        messages_{messages},
        file_{is_stdin(flags)
                  ? stdin_file()
                  : File::open_for_reading(flags.path, system_files(), InterruptScope::stop())},
        plan_{{.batch = batch_file(flags).name,
               .updates_golden = flags.updates_golden,
               .failed_dir = flags.failed_dir}},
        state_{flags.path, use_of_state(flags, selection)},
        queue_{std::move(file_),
               InterruptScope::stop(),
               batch_file(flags),
               std::move(selection),
               plan_,
               state_},
        results_{reports_, state_},
        console_{progress()} {}

  int run() {
    plan_own_files();
    const bool is_planned = queue_.plan_files();
    if (is_planned) open_state();
    if (flags_.lists) return is_planned ? list() : 0;
    make_console_report();
    if (!is_planned) return end(0);
    if (!flags_.failed_dir.empty()) make_directory(flags_.failed_dir);
    make_file_reports();
    CaseRunner runner({.updates_golden = flags_.updates_golden,
                       .failed_dir = flags_.failed_dir,
                       .census = census_wanted()});
    const Clock::time_point begin = Clock::now();
    BatchRun(queue_, runner, results_, state_,
             {.workers = worker_count(flags_.threads),
              .fails_fast = flags_.fails_fast,
              .remembers = state_.is_kept()})
        .run();
    require_cases();
    return end(std::chrono::duration<double>(Clock::now() - begin).count());
  }

 private:
  std::function<std::string()> progress() {
    if (messages_.is_quiet || !is_progress_shown()) return nullptr;
    return [this] {
      const std::optional<int> percent = queue_.percent();
      return fmt::format("{}{} cases, {} failed",
                         percent ? fmt::format("{:>3} %  ", *percent) : std::string(),
                         results_.done(), results_.failures());
    };
  }

  // plan_files() adds what the cases use.
  void plan_own_files() {
    plan_.add_open("stdout", {}, STDOUT_FILENO, FileUse::streams);
    plan_.add_open("stderr", {}, STDERR_FILENO, FileUse::streams);
    if (is_stdin(flags_)) {
      plan_.add_open("CASES", flags_.path, STDIN_FILENO, FileUse::reads);
    } else {
      plan_.add("CASES", flags_.path, FileUse::reads);
    }
    const std::optional<std::filesystem::path>& state = state_.path();
    for (const auto& [name, path] :
         std::initializer_list<std::pair<const char*, std::optional<std::string>>>{
             {"--junit", flags_.junit},
             {"XML_OUTPUT_FILE", variable("XML_OUTPUT_FILE")},
             {"--html", flags_.html},
             {"TEST_SHARD_STATUS_FILE", variable("TEST_SHARD_STATUS_FILE")},
             {"the state of runs", state ? std::optional(state->native()) : std::nullopt}}) {
      if (path) plan_.add(name, *path, FileUse::writes);
    }
  }

  void open_state() {
    say_sharded();
    state_.open();
    say_trouble();
  }

  void say_trouble() const {
    if (state_.trouble().empty()) return;
    const std::string text = "nothing is known of earlier runs: " + state_.trouble();
    if (flags_.only_last_failed || flags_.resumes) {
      print_error(fmt::format("tscatter: batch: {}\n", text));
    } else {
      log_info("{}", text);
    }
  }

  CensusWanted census_wanted() const {
    return {.text = flags_.html || flags_.junit || variable("XML_OUTPUT_FILE"),
            .json = flags_.wants_json,
            .heatmap = flags_.html.has_value()};
  }

  void make_console_report() {
    if (flags_.wants_json) {
      reports_.push_back(std::make_unique<JsonReport>(console_, flags_.path));
    } else {
      reports_.push_back(std::make_unique<TextReport>(
          console_, TextReportOptions{.batch_path = flags_.path,
                                      .only_failures = messages_.is_quiet,
                                      .is_colored = wants_color(messages_.color)}));
    }
  }

  void make_file_reports() {
    for (const auto& path : {flags_.junit, variable("XML_OUTPUT_FILE")}) {
      if (path)
        reports_.push_back(std::make_unique<JunitReport>(*path, flags_.path, suite_of(flags_)));
    }
    if (flags_.html) {
      reports_.push_back(
          std::make_unique<HtmlReport>(*flags_.html, flags_.path, batch_file(flags_).name));
    }
  }

  int list() {
    while (const auto ticket = queue_.next(0)) {
      const BatchCase& each = ticket->each;
      if (flags_.wants_json) {
        console_.print(json_line({{"name", each.name}, {"line", each.line}}));
      } else {
        console_.print(escape_control(each.name) + "\n");
      }
    }
    require_cases();
    console_.flush();
    return 0;
  }

  void require_cases() const {
    if (*InterruptScope::stop()) return;
    const std::string name = batch_file(flags_).name;
    // batch.b1
    if (queue_.cases() == 0)
      fail(ErrorKind::usage, "batch.b1", name, "a batch must have at least one case, got none");
    // cli.c41
    if (queue_.selection().left() == 0) {
      fail(ErrorKind::usage, "cli.c41", flags_.filter ? "--filter" : "--last-failed",
           "must leave at least one of the {} cases of {}, got none", queue_.cases(), name);
    }
  }

  int end(double seconds) {
    BatchSummary summary = results_.summary();
    summary.cases = queue_.cases();
    summary.selected = queue_.selected();
    summary.seconds = seconds;
    summary.is_interrupted = *InterruptScope::stop();
    summary.is_all_read = queue_.is_all_read();
    summary.fails_unreferenced = flags_.unreferenced == Unreferenced::fail;
    if (flags_.unreferenced != Unreferenced::ignore && !summary.is_interrupted)
      summary.unreferenced = queue_.golden_files().unreferenced();
    const std::optional<Error> trouble = end_reports(summary);
    state_.flush();
    if (!summary.unreferenced.empty()) {
      // batch.b11
      print_error(fmt::format("tscatter: {}: {} [batch.b11]\n", escape_control(flags_.path),
                              unreferenced_message(summary)));
    }
    if (trouble) throw Error(*trouble);
    const bool is_failed =
        summary.failures() > 0 || (summary.fails_unreferenced && !summary.unreferenced.empty());
    if (state_.has_lost()) return exit_code(ErrorKind::file);
    return is_failed ? 1 : 0;
  }

  // Each report is ended, whatever became of the others. Says what went wrong, but for the last
  // trouble, which it returns.
  std::optional<Error> end_reports(const BatchSummary& summary) {
    std::optional<Error> trouble;
    for (const auto& report : reports_) {
      try {
        report->batch_ended(summary);
      } catch (const Error& error) {
        if (trouble) print_error(error_line(*trouble, ErrorForm{flags_.wants_json}));
        trouble = error;
      }
    }
    return trouble;
  }

  const BatchFlags& flags_;
  const Messages& messages_;
  File file_;
  FilePlan plan_;
  RunState state_;
  CaseQueue queue_;
  std::vector<std::unique_ptr<BatchReport>> reports_;
  OrderedResults results_;
  Console console_;
};

int run_batch(const BatchFlags& flags, const Messages& messages) {
  require_sense(flags);
  const InterruptScope scope;
  return Batch(flags, messages, selection_of(flags)).run();
}

std::vector<Flag> selection_flags(BatchFlags& flags) {
  const std::string group = "Selection";
  return {{.name = "filter",
           .group = group,
           .value = "GLOB",
           .help = "only cases whose name matches (*, ?, [a-z], \\*)",
           .into = text(flags.filter)},
          {.name = "shard",
           .group = group,
           .value = "K/N",
           .help = "only the Kth of N parts, by a hash of the name",
           .into = parsed(flags.shard,
                          [](const auto& part, const auto&) { return parse_shard(part); })},
          {.name = "last-failed",
           .group = group,
           .help = "only what failed or did not run the last time, and what is new",
           .into = turn_on(flags.only_last_failed)},
          {.name = "resume",
           .group = group,
           .help = "skip what an earlier run finished, if nothing has changed",
           .into = turn_on(flags.resumes)},
          {.name = "list",
           .group = group,
           .help = "print the names of the cases, run none",
           .into = turn_on(flags.lists)}};
}

std::vector<Flag> golden_flags(BatchFlags& flags) {
  const std::string group = "Golden files";
  return {{.name = "update-golden",
           .group = group,
           .help = "rewrite each expected file that differs",
           .into = turn_on(flags.updates_golden)},
          {.name = "force",
           .group = group,
           .help = "allow --update-golden even if CI is set",
           .into = turn_on(flags.is_forced)},
          {.name = "failed-dir",
           .group = group,
           .value = "DIR",
           .help = "keep the output of each failed case there",
           .into = text(flags.failed_dir)},
          {.name = "unreferenced",
           .group = group,
           .value = "ACTION",
           .help = "goldens that no case refers to: ignore, warn (default) or fail",
           .into = one_of<Unreferenced, Unreferenced>(flags.unreferenced,
                                                      {{"ignore", Unreferenced::ignore},
                                                       {"warn", Unreferenced::warn},
                                                       {"fail", Unreferenced::fail}})}};
}

std::vector<Flag> report_flags(BatchFlags& flags) {
  return {{.name = "junit",
           .group = "Reports",
           .value = "PATH",
           .help = "a report for Jenkins, GitLab and others",
           .into = text(flags.junit)},
          {.name = "html",
           .group = "Reports",
           .value = "PATH",
           .help = "a report for people, in one file",
           .into = text(flags.html)},
          {.name = "json",
           .group = "Reports",
           .help = "an object for each case on stdout, and one for all",
           .into = turn_on(flags.wants_json)},
          threads_flag(flags.threads),
          wait_flag(),
          {.name = "fail-fast",
           .group = "Run",
           .help = "start no case after the first failure",
           .into = turn_on(flags.fails_fast)}};
}

Invocation bind(const Operation*) {
  const auto flags = std::make_shared<BatchFlags>();
  return {
      .arguments = {{.name = "CASES",
                     .help = "a file of JSON Lines, one case a line, or - for stdin",
                     .into = text(flags->path)}},
      .flags = joined(joined(selection_flags(*flags), golden_flags(*flags)), report_flags(*flags)),
      .run = [flags](const Messages& messages) { return run_batch(*flags, messages); }};
}

constexpr std::string_view with_reports =
    "tscatter batch cases.jsonl --junit report.xml --html report.html --unreferenced fail";

}  // namespace

Command batch_command() {
  return {.name = "batch",
          .summary = "many jobs, with golden comparison",
          .examples = {"tscatter batch cases.jsonl", with_reports,
                       "tscatter batch cases.jsonl --filter 'slice_*' --fail-fast",
                       "tscatter batch cases.jsonl --last-failed",
                       "tscatter batch cases.jsonl --update-golden"},
          .bind = bind};
}

}  // namespace tscatter::app
