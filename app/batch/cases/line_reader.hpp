// Reads the lines of a batch one at a time, file after file, and finds one case among them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/cases/batch_case.hpp"
#include "batch/cases/case_files.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter::app {

inline constexpr std::size_t longest_line = std::size_t{64} << 20U;

struct Line {
  std::int64_t number = 0;          // from 1
  std::string text = {};            // without its line break; truncated if it is too long
  bool is_too_long = false;         // more than longest_line bytes
  const BatchFile* file = nullptr;  // never null in a line that was read
  std::int64_t offset = 0;          // of the text, in the file or in what is kept of it
};

// Opens a file of cases, or stdin. Throws Error (file), and Cancelled when *stop becomes true.
File open_cases(const BatchFile& file, StopFlag stop);

class LineReader {
 public:
  // Opens the first file. When *stop becomes true, the lines end. Text that can be read only once,
  // of pipes, node tests and modules, is added to `kept`. Throws Error (file).
  LineReader(const CaseFiles& files, StopFlag stop, Spool* kept = nullptr);

  // The next line that is neither empty nor a comment (#); nullopt after the last one. Throws Error
  // (file).
  std::optional<Line> next();

  // Whether the end was reached.
  bool has_ended() const { return has_ended_; }

  // The status of the file that has the last line, when it was opened; nullptr if it is kept.
  const struct stat* status() const { return is_kept_ ? nullptr : &status_; }

 private:
  void open(std::size_t at);
  bool open_next();
  std::optional<Line> next_line();
  bool fill();

  const CaseFiles& files_;
  StopFlag stop_;
  Spool* kept_;
  std::optional<File>
      file_;  // the one that is read; nullopt: a node test or a module, whose lines are made
  struct stat status_ {};
  bool is_kept_ = false;
  std::size_t at_ = 0;  // its place in files_
  std::vector<char> buffer_ = std::vector<char>(std::size_t{64} << 10U);
  std::size_t begin_ = 0;  // of what is left in the buffer
  std::size_t end_ = 0;
  std::int64_t offset_ = 0;  // of the buffer's end
  std::int64_t number_ = 0;
  bool has_ended_ = false;
};

// A checksum of all lines of a batch, in whatever order its files are read.
struct BatchDigest {
  std::int64_t lines = 0;
  std::uint64_t sum = 0;

  void add(std::string_view line);
  friend bool operator==(const BatchDigest&, const BatchDigest&) = default;
};

struct FoundCase {
  std::shared_ptr<const CaseFiles> files;  // the case refers to them
  BatchCase each;
};

// The first case of that name; `line-12` is the one of line 12. `cases`: a file of JSON Lines, a
// folder, or -. Throws Error: usage (cli.c61) if there is none, what is wrong with the case, and
// file.
FoundCase find_case(const std::string& name, const std::string& cases);

}  // namespace tscatter::app
