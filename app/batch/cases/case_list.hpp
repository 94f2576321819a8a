// The lines of a batch, read one at a time, file after file (LineReader); the list of its cases
// (CaseList), whose lines are read again where they are needed; and one case that is looked for.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <functional>
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

// Where the line of each case stands, known once all lines have been read.
class CaseList {
 public:
  // Opens the first file. Throws Error (file).
  CaseList(const CaseFiles& files, StopFlag stop);

  // Reads all lines; those for which take() returns true are cases. False if interrupted. Throws
  // Error (file), and what take() throws.
  bool read_all(const std::function<bool(const Line&)>& take);

  std::size_t size() const { return cases_.size(); }

  // The line of a case. Throws Error (file; batch.b13 if its file has changed since it was read).
  Line line(std::size_t at);
  // The same; when *stop is true, only what is in memory.
  std::optional<Line> line_unless_stopped(std::size_t at);

  // "cases.jsonl:12"
  std::string place_of(std::size_t at) const;

 private:
  // 24 bytes, since there are many.
  struct Place {
    std::int64_t offset;  // in the file, or in what is kept
    std::int64_t number;  // of the line, from 1
    std::uint32_t file;   // from 0
    std::uint32_t length : 31;
    std::uint32_t is_too_long : 1;
  };

  // What is known of a file that was read.
  struct Input {
    bool is_kept = true;
    struct stat status {};
  };

  std::size_t source_of(const Place& place) const;
  bool is_in_window(const Place& place) const;
  void move_window(const Place& place);
  void require_unchanged() const;

  const CaseFiles& files_;
  StopFlag stop_;
  Spool kept_;  // of pipes, node tests and modules
  std::optional<LineReader> reader_;
  std::vector<Input> inputs_;
  std::vector<Place> cases_;
  std::optional<File> file_;  // that was opened last
  std::size_t opened_ = 0;    // its place in files_
  std::string window_;        // a piece of a file, or of what is kept
  std::int64_t window_begin_ = 0;
  std::size_t window_of_ = 0;  // its source
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
