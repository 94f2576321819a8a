// The reports of a batch: words, JSON Lines, JUnit, HTML, and for GitHub. Each is told of every
// case, in the order of the file, and of the end. And what they share: lines of text, where they
// go, text that is kept until the end.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/cases/case_files.hpp"
#include "batch/cases/case_result.hpp"
#include "batch/reports/failure_words.hpp"
#include "jobs/console.hpp"
#include "jobs/result.hpp"
#include "jobs/written_file.hpp"
#include "process/environment.hpp"
#include "text/document.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter::app {

struct BatchSummary {
  std::array<std::int64_t, case_state_names.size()> counts{};  // by CaseState
  std::int64_t cases = 0;                                      // of the file, as far as it was read
  std::int64_t selected = 0;                                   // of these
  double seconds = 0;
  bool is_interrupted = false;
  bool is_all_read = true;                // if not, there may be more cases
  std::vector<std::string> unreferenced;  // goldens that no case refers to
  bool fails_unreferenced = false;        // they make the batch fail
  bool ignores_unreferenced = false;      // they were not looked for
  bool is_all_done = false;               // --last-failed found nothing to run
  bool is_of_pairs = false;               // of two folders: the cases are files

  std::int64_t count(CaseState state) const { return counts[static_cast<std::size_t>(state)]; }
  bool has_failed_unreferenced() const { return fails_unreferenced && !unreferenced.empty(); }
  bool has_failed() const { return failures() > 0 || has_failed_unreferenced(); }
  std::int64_t failures() const { return count(CaseState::failed) + count(CaseState::xpassed); }
};

class BatchReport {
 public:
  virtual ~BatchReport() = default;

  virtual void case_ended(const CaseResult& result) = 0;
  virtual void batch_ended(const BatchSummary& summary) = 0;  // Throws Error (file).
};

// "4 of 9 cases: 3 passed, 1 failed"
std::string summary_line(const BatchSummary& summary);

// "13 failed, 1 xpassed"
std::string failures_line(const BatchSummary& summary);

// "2 goldens that no case refers to: a.npy, b.npy"
std::string unreferenced_message(const BatchSummary& summary);

// Says on stderr which goldens no case of the batch refers to, if there are any.
void say_unreferenced(const BatchSummary& summary, const std::string& batch);

// The command line that runs this case of its file alone, or the whole batch if the case fails only
// together with another. Where elements differ or are not legal it shows the whole verdict.
std::string repeat_command(const CaseFiles& files, const CaseResult& result);

// "3 of 24 elements differ … [batch.b7]": a result's message, and its label if it has one.
std::string labelled_message(const CaseResult& result);

// The facts of a failure as a table.
std::string facts_text(const Facts& facts);

// Where a report goes: --junit, --html, or a batch's XML_OUTPUT_FILE.
struct ReportPlace {
  std::string name;  // of the flag or variable
  std::string word;  // - is stdout
  const FileKind* kind;

  bool is_stdout() const { return word == "-"; }
};

std::vector<ReportPlace> report_places(const std::optional<std::string>& junit,
                                       const std::optional<std::string>& html,
                                       bool is_of_batch = true);

// Throws Error (usage, cli.c14) if two reports want stdout.
void require_one_on_stdout(const std::vector<ReportPlace>& reports);

// Throws Error (usage, cli.c16 and cli.c17).
void require_place(const ReportPlace& report, Replacing replacing);

// Where the words of a batch with these reports go.
WordsGo words_beside(const std::vector<ReportPlace>& reports);

// Text that is collected while a batch runs and used at its end; a long one is kept on disk.
class SpooledText {
 public:
  // `user` is what the text is for, in messages.
  explicit SpooledText(std::string user);

  // Where the disk takes no more, the text is given up, and its space freed for others.
  void append(std::string_view text);

  // Why it was given up.
  const std::optional<Error>& trouble() const { return trouble_; }

  // Passes the text to `take`, piece by piece. Throws trouble().
  void read(const std::function<void(std::string_view)>& take);

 private:
  std::string user_;
  std::optional<Spool> spool_;
  std::string pending_;
  std::optional<Error> trouble_;
};

// A report's file, or stdout for -: written at the end of the batch, all or nothing.
class ReportFile {
 public:
  // Throws Error (file.f4 or file.f7) now if the file cannot be created, not after the batch.
  explicit ReportFile(std::string path);

  void write(std::string_view text);
  void commit();

 private:
  OutputFile& file();

  std::string path_;
  std::unique_ptr<OutputFile> file_;
  std::int64_t size_ = 0;
};

struct TextReportOptions {
  std::int64_t details = 0;  // how many failures are printed with details
  bool only_failures = false;
  bool is_colored = false;
};

// What a batch prints for people: a line for each case, the failures again, a summary.
class TextReport final : public BatchReport {
 public:
  TextReport(Console& console, TextReportOptions options) : console_{console}, options_{options} {}

  void case_ended(const CaseResult& result) override;
  void batch_ended(const BatchSummary& summary) override;

 private:
  std::string line_of(const CaseResult& result) const;
  std::string failure_of(const CaseResult& result);

  Console& console_;
  TextReportOptions options_;
  SpooledText failures_{"the list of failures"};
  std::int64_t detailed_ = 0;  // failures with details so far
  bool has_lines_ = false;     // something is above the summary
};

// --json: JSON Lines on stdout, an object for each case and one for the whole. Keys: docs/batch.md.
class JsonReport final : public BatchReport {
 public:
  // `details`: how many failures are given with details.
  JsonReport(Console& console, std::int64_t details) : console_{console}, details_{details} {}

  void case_ended(const CaseResult& result) override;
  void batch_ended(const BatchSummary& summary) override;

 private:
  Console& console_;
  std::int64_t details_;  // left
};

// Reads such lines again: what a merge needs of them.
class JsonReportReader {
 public:
  explicit JsonReportReader(const CaseFiles& files);  // of the batch, which must outlive this

  // nullopt: the line is no case of the batch.
  std::optional<CaseResult> result_in(std::string_view line) const;

 private:
  const CaseFiles& batch_;
  std::map<std::string, const BatchFile*, std::less<>> files_;  // by name; "" is one that is alone
};

// nullopt: the line is none.
std::optional<BatchSummary> summary_in(std::string_view line);

inline bool is_summary(std::string_view line) { return line.starts_with("{\"summary\":"); }

// --by-word: what the failures of a batch have in common, as a table: why they fail, and which
// words that meets most often.
class ByWordReport final : public BatchReport {
 public:
  ByWordReport(Console& console, bool is_json) : console_{console}, is_json_{is_json} {}

  void case_ended(const CaseResult& result) override { words_.take(result); }
  void batch_ended(const BatchSummary& summary) override;

 private:
  Document document() const;

  Console& console_;
  bool is_json_;
  FailureWords words_;
};

// --junit and Bazel's XML_OUTPUT_FILE: the report that Jenkins and GitLab read. Form:
// docs/batch.md.
class JunitReport final : public BatchReport {
 public:
  // `suite` names the suite, and is the class name of all cases of a batch of one file: "cases".
  // Throws Error (file).
  JunitReport(const std::string& path, const std::string& suite);

  void case_ended(const CaseResult& result) override;
  void batch_ended(const BatchSummary& summary) override;

 private:
  std::string class_of(const CaseResult& result) const;
  std::string unique_name(const CaseResult& result) const;

  ReportFile file_;
  std::string suite_;  // as XML
  SpooledText cases_;
};

struct HtmlHeading {
  std::string title;  // the batch's name
  std::string date;
  std::string shard = {};  // "2/4"; empty: the whole batch
};

// --html: one self-contained file for people. It opens on what failed, grouped by why; CSS alone
// filters by state and by group and enlarges pictures, a script only adds a search by name.
class HtmlReport final : public BatchReport {
 public:
  // Throws Error (file).
  HtmlReport(const std::string& path, const HtmlHeading& heading);

  void case_ended(const CaseResult& result) override;
  void batch_ended(const BatchSummary& summary) override;

 private:
  std::string rule_of(const std::string& label) const;
  std::string detail_of(const CaseResult& result) const;
  std::string header_of(const BatchSummary& summary) const;

  ReportFile file_;
  std::string title_;                                           // as HTML
  std::string about_;                                           // as HTML: version, date, shard
  std::map<std::string, std::string_view, std::less<>> rules_;  // by label
  SpooledText cases_;
  FailureWords words_;
  std::int64_t opened_ = 0;
};

// The value of a workflow command, "%0A" for a line break. In a property, : and , are escaped, too.
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
std::string command_value(std::string_view text);
std::string command_property(std::string_view text);

// Text as Markdown that shows it as it is, also in a table's cell.
std::string markdown_text(std::string_view text);

// What GitHub Actions shows of a batch: annotations at the lines of failed cases, and a summary of
// the step. Both come by the environment, without a flag. docs/ci.md
class GithubReport final : public BatchReport {
 public:
  // `title` is the batch's name.
  GithubReport(GithubStep step, std::string title)
      : step_{std::move(step)}, title_{std::move(title)} {}

  void case_ended(const CaseResult& result) override;
  void batch_ended(const BatchSummary& summary) override;

 private:
  std::string place_of(const CaseResult& result) const;
  std::string summary_text(const BatchSummary& summary, std::size_t room) const;
  void append_summary(const BatchSummary& summary) const;

  GithubStep step_;
  std::string title_;
  std::vector<std::string> annotations_;
  std::vector<std::string> rows_;  // of the summary, as many as it can have
  std::size_t row_bytes_ = 0;
};

}  // namespace tscatter::app
