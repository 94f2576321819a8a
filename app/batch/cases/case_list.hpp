// The list of a batch's cases: where the line of each stands, known once all lines have been read.
// A text is read again where it is needed.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "batch/cases/line_reader.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter::app {

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

}  // namespace tscatter::app
