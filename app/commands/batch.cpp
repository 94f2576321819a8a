#include "commands/batch.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

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
#include "commands/batch_flags.hpp"
#include "jobs/console.hpp"
#include "jobs/result.hpp"
#include "jobs/written_file.hpp"
#include "process/environment.hpp"
#include "process/errors.hpp"
#include "process/log.hpp"
#include "process/signals.hpp"
#include "process/version.hpp"
#include "text/document.hpp"
#include "text/figure.hpp"
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

}  // namespace tscatter::app
