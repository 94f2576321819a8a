// ClosedLines: the lines of a file that is open only while a piece of it is read, so that any
// number of files can be read side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tscatter::app {

class ClosedLines {
 public:
  // Reads at least so many bytes at once.
  ClosedLines(std::string path, std::size_t piece) : path_{std::move(path)}, piece_{piece} {}

  // The next line, without its end; valid until the next call. nullopt: no further line has an end.
  // Throws Error (file; format, batch.b18 for a line that is longer than any).
  std::optional<std::string_view> next();

  // What follows the last line that has an end. REQUIRES: next() has returned nullopt.
  std::string_view rest() const { return std::string_view(held_).substr(begin_); }

 private:
  bool read_more();

  std::string path_;
  std::size_t piece_;
  std::int64_t offset_ = 0;  // of what was not read yet
  std::string held_;
  std::size_t begin_ = 0;     // of the next line, in what is held
  std::size_t searched_ = 0;  // has no line's end from there
};

}  // namespace tscatter::app
