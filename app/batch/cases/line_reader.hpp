// Reads the lines of a batch one at a time, file after file. They can be read again; the lines of a
// pipe are spooled for that.
// One case of a file of cases, by its name.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batch/cases/batch_case.hpp"
#include "batch/cases/case_files.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter::app {

inline constexpr std::size_t longest_line = std::size_t{64} << 20U;

struct Line {
  std::int64_t number = 0;          // from 1
  std::string text = {};            // without its line break; truncated if it is too long
  bool is_too_long = false;         // more than longest_line bytes
  const BatchFile* file = nullptr;  // never null in a line that was read
};

class LineReader {
 public:
  // Opens the first file; finds out where in the batch the others begin. When *stop becomes true,
  // the lines end. Throws Error (file).
  LineReader(CaseFiles& files, const std::atomic<bool>* stop);

  // The next line that is neither empty nor a comment (#); nullopt after the last one. Throws Error
  // (file, batch.b13).
  std::optional<Line> next();

  // Starts again with the first line. REQUIRES: the end was reached.
  void rewind();

  // How many lines are left, exact only near the end of the file: otherwise at least so many.
  std::int64_t lines_left(std::int64_t enough) const;

  // Whether the end was reached.
  bool has_ended() const;

  // From any thread.
  std::int64_t size() const { return size_; }  // bytes of all files; 0 if unknown
  std::int64_t bytes_read() const { return bytes_read_; }

 private:
  // What stays known of a file that is closed.
  struct Input {
    struct stat status {};            // when it was opened first
    std::int64_t begin = 0;           // where reading of a regular file began
    std::optional<Spool> lines = {};  // of another, and of a node test
    std::int64_t size() const { return lines ? lines->size() : status.st_size - begin; }
  };

  void open(std::size_t at);
  void open_anew(std::size_t at);
  void make_lines(std::size_t at);
  bool open_next();
  std::int64_t size_to_come() const;
  std::optional<Line> next_line();
  bool fill();
  std::size_t read_first(std::span<std::byte> into);
  std::size_t read_again(std::span<std::byte> into);
  void require_unchanged() const;

  CaseFiles& files_;
  const std::atomic<bool>* stop_;
  std::vector<Input> inputs_;
  std::optional<File> file_;  // the one that is read
  std::size_t at_ = 0;        // its place in files_
  std::int64_t offset_ = 0;   // bytes of it that were read
  bool is_read_again_ = false;
  std::atomic<std::int64_t> size_ = 0;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{64} << 10U);
  std::size_t begin_ = 0;  // of what is left in the buffer
  std::size_t end_ = 0;
  std::int64_t number_ = 0;
  bool is_at_end_ = false;  // of the file: read() said so
  std::atomic<std::int64_t> bytes_read_ = 0;
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
