// Where the words and the files of reports go: the console, files, and text that is kept until the
// end.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "jobs/result.hpp"
#include "jobs/written_file.hpp"
#include "process/host.hpp"
#include "process/progress_line.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter::app {

// Where a report goes: --junit, --html or XML_OUTPUT_FILE.
struct ReportPlace {
  std::string name;  // of the flag or variable
  std::string word;  // - is stdout
  const FileKind* kind;

  bool is_stdout() const { return word == "-"; }
};

std::vector<ReportPlace> report_places(const std::optional<std::string>& junit,
                                       const std::optional<std::string>& html);

// Throws Error (usage, cli.c14) if two reports want stdout.
void require_one_on_stdout(const std::vector<ReportPlace>& reports);

// Throws Error (usage, cli.c16 and cli.c17).
void require_place(const ReportPlace& report, Replacing replacing);

// Where the words of a batch with these reports go.
WordsGo words_beside(const std::vector<ReportPlace>& reports);

// The words of a batch, and the progress line on a terminal. Collects lines for a moment, so that
// thousands of them take a few writes.
class Console {
 public:
  // `progress` returns the text of the progress line, if it is shown; a separate thread calls it
  // once the run has lasted a second.
  explicit Console(ShowProgress show = ShowProgress::no, std::function<std::string()> progress = {},
                   WordsGo words = WordsGo::to_stdout);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console();

  void print(std::string_view text);
  void flush();  // Throws Error (file.f5).

 private:
  void keep_up(const std::stop_token& stop);
  void flush_locked();

  std::function<std::string()> progress_;
  WordsGo words_;
  Host* host_ = Host::present();
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::string pending_;
  std::jthread keeper_;
};

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
