#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batch/cases/case_files.hpp"
#include "batch/cases/case_list.hpp"
#include "batch/reports/reports.hpp"
#include "batch/shards/shard_reports.hpp"
#include "commands/batch.hpp"
#include "jobs/console.hpp"
#include "jobs/written_file.hpp"
#include "parts/file_parts.hpp"
#include "process/environment.hpp"
#include "process/errors.hpp"
#include "process/host.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

constexpr std::string_view word = "merge";

BatchDigest digest_of(CaseFiles& files) {
  LineReader lines(files, InterruptScope::stop());
  BatchDigest digest;
  while (const std::optional<Line> line = lines.next()) digest.add(line->text);
  return digest;
}

// The words of a merge, sorted: the files and folders of the batch, and the reports of its shards.
struct MergeWords {
  std::vector<std::string> cases;
  std::vector<std::pair<std::string, ShardHeading>> reports;
};

MergeWords merge_words(const BatchFlags& flags) {
  MergeWords words;
  for (std::size_t i = 1; i < flags.cases.size(); ++i) {
    const std::string& path = flags.cases[i];
    const MergedFile file = merged_file(path);
    if (file.heading) words.reports.emplace_back(path, *file.heading);
    if (!file.is_report) words.cases.push_back(path);
  }
  // cli.c3
  if (words.cases.empty() || words.reports.empty()) {
    fail(ErrorKind::usage, "cli.c3", "batch merge", "{}",
         words.cases.empty() ? "CASES is missing: tscatter batch merge CASES REPORTS"
                             : "reports of shards are missing (batch --shard K/N --json)");
  }
  return words;
}

// Nothing is run: flags that say what and how are in vain.
void require_only_reports(const BatchFlags& flags) {
  if (flags.of_a_run.empty()) return;
  // cli.c84
  fail(ErrorKind::usage, "cli.c84", flags.of_a_run.front(),
       "must be left out: a merge runs no case");
}

void require_own_files(const BatchFlags& flags, const MergeWords& words) {
  std::vector<NamedFile> read;
  std::vector<NamedFile> written;
  for (const std::string& path : words.cases) read.push_back({"CASES", path});
  for (const auto& [path, heading] : words.reports) read.push_back({"a shard's report", path});
  for (const ReportPlace& report : report_places(flags.junit, flags.html)) {
    if (report.is_stdout()) continue;
    require_place(report, flags.is_forced ? Replacing::any_kind : Replacing::same_kind);
    written.push_back({report.name, report.word});
  }
  require_separate(written, read);
}

std::vector<std::unique_ptr<BatchReport>> reports_of(const BatchFlags& flags,
                                                     const Messages& messages,
                                                     const CaseFiles& files, Console& console) {
  std::vector<std::unique_ptr<BatchReport>> reports;
  if (flags.wants_json) {
    reports.push_back(std::make_unique<JsonReport>(console, 0));
  } else {
    const TextReportOptions options{.only_failures = true,
                                    .is_colored = wants_color(messages.color, STDOUT_FILENO)};
    reports.push_back(std::make_unique<TextReport>(console, options));
  }
  if (flags.junit) reports.push_back(std::make_unique<JunitReport>(*flags.junit, files.suite()));
  if (flags.html) {
    reports.push_back(std::make_unique<HtmlReport>(
        *flags.html, HtmlHeading{.title = files.name(), .date = report_date()}));
  }
  return reports;
}

// About the reports that are of something else.
std::vector<Error> foreign_reports(const ShardReports& shards, const std::string& batch) {
  std::vector<Error> all;
  for (const std::string& path : shards.foreign()) {
    // batch.b18
    all.emplace_back(ErrorKind::usage, "batch.b18", path,
                     fmt::format("this is no report of a shard of {}: it is of another batch, "
                                 "another number of shards or another version",
                                 batch));
  }
  return all;
}

// What of the merged report is wrong.
std::vector<Error> complaints(const ShardReports& shards, const BatchSummary& summary,
                              Unreferenced action, const std::string& batch) {
  std::vector<Error> all = foreign_reports(shards, batch);
  const auto refuse = [&](const char* label, const std::string& message) {
    all.emplace_back(ErrorKind::usage, label, batch, message);
  };
  const std::vector<std::int64_t> missing = shards.missing();
  // batch.b17
  if (!missing.empty()) {
    refuse("batch.b17", fmt::format("no complete report of shard{} {} is given",
                                    missing.size() == 1 ? "" : "s", as_ranges(missing)));
  }
  const std::vector<std::int64_t> doubled = shards.doubled();
  // batch.b19
  if (!doubled.empty()) {
    refuse("batch.b19", "more than one complete report is given of shard " + as_ranges(doubled));
  }
  // batch.b20
  if (missing.empty() && summary.selected != summary.cases) {
    refuse(
        "batch.b20",
        fmt::format("the reports have {} of {} cases (run the shards without --filter, --tag and "
                    "--last-failed)",
                    summary.selected, summary.cases));
  }
  // batch.b21
  if (action == Unreferenced::fail && summary.ignores_unreferenced) {
    refuse(
        "batch.b21",
        "some shards ran with --unreferenced ignore: --unreferenced fail needs shards that looked "
        "for goldens without a case");
  }
  return all;
}

// Goldens that no case refers to fail the merge where they failed a shard, or are to here.
void judge_unreferenced(BatchSummary& summary, Unreferenced action) {
  if (action == Unreferenced::ignore) summary.unreferenced.clear();
  if (action == Unreferenced::fail) summary.fails_unreferenced = true;
}

}  // namespace

bool is_merge(const BatchFlags& flags) {
  std::error_code ignored;
  return flags.cases.front() == word && !std::filesystem::exists(flags.cases.front(), ignored);
}

int merge_batch(const BatchFlags& flags, const Messages& messages) {
  require_only_reports(flags);
  const MergeWords words = merge_words(flags);
  require_own_files(flags, words);
  const InterruptScope scope;
  CaseFiles files(words.cases);
  ShardReports shards(files, digest_of(files));
  for (const auto& [path, heading] : words.reports) {
    check_stop(InterruptScope::stop());
    shards.add(path, heading);
  }
  Console console(ShowProgress::no, {}, words_beside(report_places(flags.junit, flags.html)));
  const auto reports = reports_of(flags, messages, files, console);
  BatchSummary summary = shards.merge([&](const CaseResult& result) {
    check_stop(InterruptScope::stop());
    for (const auto& report : reports) report->case_ended(result);
  });
  judge_unreferenced(summary, flags.unreferenced);
  for (const auto& report : reports) report->batch_ended(summary);
  console.flush();
  const auto wrong = complaints(shards, summary, flags.unreferenced, files.name());
  for (const Error& each : wrong) print_error(error_line(each, ErrorForm::text));
  say_unreferenced(summary, files.name());
  return !wrong.empty() || summary.has_failed() ? 1 : 0;
}

}  // namespace tscatter::app
