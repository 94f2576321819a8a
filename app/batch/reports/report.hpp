// A report of a batch: it is told of every case, in the order of the file, and of the end. And what
// reports share: lines of text, where they go, text that is kept until the end.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/cases/case_result.hpp"
#include "jobs/result.hpp"
#include "jobs/written_file.hpp"
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
  bool has_failed() const {
    return failures() > 0 || (fails_unreferenced && !unreferenced.empty());
  }
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

}  // namespace tscatter::app
