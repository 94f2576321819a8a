#include "commands/batch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "batch/cases/case_files.hpp"
#include "batch/plan/file_plan.hpp"
#include "batch/reports/reports.hpp"
#include "batch/shards/shard_reports.hpp"
#include "cli/targets.hpp"
#include "jobs/console.hpp"
#include "jobs/result.hpp"
#include "jobs/written_file.hpp"
#include "process/environment.hpp"
#include "process/errors.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "process/version.hpp"
#include "text/document.hpp"
#include "text/figure.hpp"
#include "text/number_text.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/io/files/output_file.hpp"

namespace tscatter::app {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<ReportPlace> places_of_reports(const BatchFlags& flags) {
  return report_places(flags.junit, flags.html, flags.pairs == nullptr);
}

// The list of cases is on stdout: with it, no report is written.
WordsGo words_go(const BatchFlags& flags) {
  return flags.lists ? WordsGo::to_stdout : words_beside(places_of_reports(flags));
}

Replacing replacing(const BatchFlags& flags) {
  return flags.is_forced ? Replacing::any_kind : Replacing::same_kind;
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

Document listed(const BatchCase& each) {
  Document document{{"name", each.name}};
  if (!each.file->is_alone) document.put("file", each.file->name);
  document.put("line", each.line);
  if (!each.tags.empty()) document.put("tags", each.tags);
  if (each.skip) document.put("skip", *each.skip);
  return document;
}

// The name and, after a tab, the tags.
std::string list_line(const BatchCase& each) {
  std::string tags = escape_control(fmt::format("{}", fmt::join(each.tags, " ")));
  return fmt::format("{}{}{}\n", escape_control(each.name), tags.empty() ? "" : "\t", tags);
}

// Bazel's variables are a batch's: a comparison of folders may be one step of a test.
std::optional<std::string> xml_of_environment(const BatchFlags& flags) {
  return flags.pairs ? std::nullopt : variable("XML_OUTPUT_FILE");
}

// One run of the command, with its parts in the order of their construction.
class Batch {
 public:
  // The batch is open before the state of its last run is touched.
  Batch(const BatchFlags& flags, const Messages& messages, Selection selection,
        const CaseWorkers& workers)
      : flags_{flags},
        messages_{messages},
        workers_{workers},
        files_{flags.pairs ? CaseFiles(flags.cases, flags.pairs) : CaseFiles(flags.cases)},
        plan_{{.updates_golden = flags.updates_golden, .failed_dir = flags.failed_dir}},
        state_{files_.words(), use_of_state(flags, selection), state_place(flags, selection)},
        queue_{files_, InterruptScope::stop(), std::move(selection), plan_, state_},
        results_{reports_, state_},
        console_{messages.is_quiet ? ShowProgress::no : ShowProgress::on_terminals,
                 [this] { return progress(); }, words_go(flags)} {}

  int run() {
    plan_own_files();
    const bool is_planned = queue_.plan_files();
    for (const ReportPlace& report : places_of_reports(flags_))
      require_place(report, replacing(flags_));
    if (flags_.lists && !is_planned) return 0;
    if (flags_.lists) {
      open_state();
      return list();
    }
    make_console_report();
    if (!is_planned) return end(0);
    if (!flags_.failed_dir.empty() && !flags_.is_dry) make_directory(flags_.failed_dir);
    make_file_reports();
    // Last of all: it may forget what an earlier run has done, and a batch that is refused does
    // nothing.
    open_state();
    print_heading();
    CaseRunner runner(runner_options(flags_, failure_wanted(flags_)));
    const Clock::time_point begin = Clock::now();
    BatchRun(queue_, runner, results_, state_,
             {.workers = workers_.count > 0 ? workers_.count : worker_count(flags_.threads),
              .run_case = workers_.run_case,
              .fails_fast = flags_.fails_fast,
              .remembers = state_.is_kept() && !flags_.is_dry,
              .is_dry = flags_.is_dry})
        .run();
    require_cases();
    return end(std::chrono::duration<double>(Clock::now() - begin).count());
  }

 private:
  std::string progress() const {
    const std::optional<int> percent = queue_.percent();
    return fmt::format("{}{} cases, {} failed",
                       percent ? fmt::format("{:>3} %  ", *percent) : std::string(),
                       grouped(results_.done()).text, grouped(results_.failures()).text);
  }

  // plan_files() adds what the cases use.
  void plan_own_files() {
    plan_.add_open("stdout", {}, STDOUT_FILENO, FileUse::streams);
    plan_.add_open("stderr", {}, STDERR_FILENO, FileUse::streams);
    for (std::size_t i = 0; i < files_.size() && !files_.is_of_pairs(); ++i) {
      const std::string& path = files_[i].path;
      path == "-" ? plan_.add_open("CASES", path, STDIN_FILENO, FileUse::reads)
                  : plan_.add("CASES", path, FileUse::reads);
    }
    const auto summary = github_ ? github_->summary : std::nullopt;
    const std::optional<std::filesystem::path>& state = state_.path();
    for (const ReportPlace& report : places_of_reports(flags_)) {
      if (!report.is_stdout()) plan_.add(report.name, report.word, FileUse::writes);
    }
    for (const auto& [name, path] :
         std::initializer_list<std::pair<const char*, std::optional<std::string>>>{
             {"TEST_SHARD_STATUS_FILE", variable("TEST_SHARD_STATUS_FILE")},
             {"GITHUB_STEP_SUMMARY", summary ? std::optional(summary->native()) : std::nullopt},
             {"the state of runs", state ? std::optional(state->native()) : std::nullopt}}) {
      if (path) plan_.add(name, *path, FileUse::writes);
    }
  }

  void open_state() {
    if (!flags_.pairs) say_sharded();
    state_.open();
    say_trouble();
  }

  void say_trouble() const {
    if (state_.trouble().empty()) return;
    const std::string text = "nothing is known of earlier runs: " + state_.trouble();
    if (flags_.looks_at_earlier_runs() || flags_.state) {
      print_error(warning_line("batch: " + text));
    } else {
      log_info("{}", text);
    }
  }

  void make_console_report() {
    const bool is_on_stderr = words_go(flags_) == WordsGo::to_stderr;
    const int stream = is_on_stderr ? STDERR_FILENO : STDOUT_FILENO;
    if (flags_.wants_json) {
      reports_.push_back(std::make_unique<JsonReport>(console_, flags_.details));
    } else {
      reports_.push_back(std::make_unique<TextReport>(
          console_, TextReportOptions{.details = flags_.details,
                                      .only_failures = messages_.is_quiet,
                                      .is_colored = wants_color(messages_.color, stream)}));
    }
    if (flags_.by_word)
      reports_.push_back(std::make_unique<ByWordReport>(console_, flags_.wants_json));
  }

  // The first line of a shard's report, so that batch merge knows which shard it is.
  void print_heading() {
    const std::optional<PartNumber>& shard = queue_.selection().shard;
    if (!flags_.wants_json || !shard) return;
    console_.print(to_json_line(
        {.shard = *shard, .batch = queue_.digest(), .version = std::string(version())}));
  }

  void make_file_reports() {
    for (const auto& path : {flags_.junit, xml_of_environment(flags_)}) {
      if (path) reports_.push_back(std::make_unique<JunitReport>(*path, files_.suite()));
    }
    if (flags_.html) reports_.push_back(std::make_unique<HtmlReport>(*flags_.html, heading()));
    if (github_) reports_.push_back(std::make_unique<GithubReport>(*github_, files_.name()));
  }

  HtmlHeading heading() const {
    HtmlHeading heading{.title = files_.name(), .date = report_date()};
    if (const auto& shard = queue_.selection().shard)
      heading.shard = fmt::format("{}/{}", shard->part, shard->of);
    return heading;
  }

  int list() {
    while (const auto ticket = queue_.next()) {
      const BatchCase& each = ticket->each;
      console_.print(flags_.wants_json ? json_line(listed(each)) : list_line(each));
    }
    require_cases();
    console_.flush();
    return 0;
  }

  void require_cases() {
    if (*InterruptScope::stop()) return;
    const std::string name = files_.name();
    // batch.b1
    if (queue_.cases() == 0) fail(ErrorKind::usage, "batch.b1", name, "the batch has no case");
    const Selection& selection = queue_.selection();
    // cli.c41
    if (selection.tagged == 0) {
      const bool is_of_names = selection.named == 0;
      fail(ErrorKind::usage, "cli.c41", is_of_names ? "--filter" : "--tag",
           "leaves none of the {} cases of {} ({})", queue_.cases(), name,
           is_of_names ? "a pattern matches a whole name; --list prints them"
                       : "--list prints the tags of each case");
    }
  }

  int end(double seconds) {
    BatchSummary summary = results_.summary();
    summary.cases = queue_.cases();
    summary.selected = queue_.selected();
    summary.seconds = seconds;
    summary.is_interrupted = *InterruptScope::stop();
    summary.is_all_read = queue_.is_all_read();
    summary.is_all_done = flags_.selection.only_last_failed && queue_.selection().left == 0 &&
                          !summary.is_interrupted;
    summary.fails_unreferenced = flags_.unreferenced == Unreferenced::fail;
    summary.is_of_pairs = files_.is_of_pairs();
    summary.ignores_unreferenced =
        flags_.unreferenced == Unreferenced::ignore && !summary.is_of_pairs;
    if (flags_.unreferenced != Unreferenced::ignore && !summary.is_interrupted)
      summary.unreferenced = queue_.golden_files().unreferenced();
    const std::optional<Error> trouble = end_reports(summary);
    state_.flush();
    say_unreferenced(summary, files_.name());
    if (trouble) throw Error(*trouble);
    if (state_.has_lost()) return exit_code(ErrorKind::file);
    return summary.has_failed() ? 1 : 0;
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
  const CaseWorkers& workers_;
  std::optional<GithubStep> github_ = github_step();
  CaseFiles files_;
  FilePlan plan_;
  RunState state_;
  CaseQueue queue_;
  std::vector<std::unique_ptr<BatchReport>> reports_;
  OrderedResults results_;
  Console console_;
};

Invocation bind_batch(const RunBatch& run) {
  const auto flags = std::make_shared<BatchFlags>();
  return {
      .arguments = {{.name = "CASES",
                     .help = "files of JSON Lines, one case a line; folders, for the cases.jsonl, "
                             "the node tests of ONNX and the modules of MLIR in and below them; - "
                             "for stdin",
                     .into = texts(flags->cases),
                     .occurrence = Occurrence::repeated}},
      .flags = batch_flags(*flags),
      .run = [flags, run](const Messages& messages) { return run(*flags, messages); }};
}

// What a signal must not hide.
constexpr std::string_view files_stand =
    "cases have changed or written files (batch --resume goes on)";

constexpr const char* with_reports =
    "tscatter batch cases.jsonl --junit report.xml --html report.html --unreferenced fail";

}  // namespace

FailureWanted failure_wanted(const BatchFlags& flags) {
  const bool has_report = flags.html || flags.junit || xml_of_environment(flags);
  return {.details = has_report || github_step() || flags.details > 0,
          .tables = has_report,
          .json = flags.wants_json,
          .heatmap = flags.html.has_value(),
          .words = flags.by_word || flags.html};
}

CaseRunnerOptions runner_options(const BatchFlags& flags, const FailureWanted& wanted) {
  return {.updates_golden = flags.updates_golden,
          .is_dry = flags.is_dry,
          .replacing = replacing(flags),
          .failed_dir = flags.failed_dir,
          .wanted = wanted};
}

int run_batch(const BatchFlags& flags, const Messages& messages, const CaseWorkers& workers) {
  require_sense(flags);
  if (is_merge(flags)) return merge_batch(flags, messages);
  const InterruptScope scope;
  try {
    const int exit_code = Batch(flags, messages, selection_of(flags), workers).run();
    if (has_standing()) now_stands(std::string(files_stand));
    return exit_code;
  } catch (...) {
    if (has_standing() && *InterruptScope::stop()) now_stands(std::string(files_stand));
    throw;
  }
}

Command batch_command() {
  return batch_command(
      [](const BatchFlags& flags, const Messages& messages) { return run_batch(flags, messages); });
}

Command batch_command(const RunBatch& run) {
  return {.name = "batch",
          .summary = "many jobs, with golden comparison",
          .examples = {"tscatter batch cases.jsonl", with_reports,
                       "tscatter batch golden/ more.jsonl --tag fast --details",
                       "tscatter batch cases.jsonl --filter 'slice_*' --fail-fast",
                       "tscatter batch cases.jsonl --last-failed",
                       "tscatter batch cases.jsonl --update-golden -n",
                       "tscatter batch merge cases.jsonl shard-*.jsonl --junit report.xml"},
          .bind = [run](const Operation*) { return bind_batch(run); },
          .progress_by = ProgressBy::command};
}

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
