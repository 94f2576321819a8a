// What stderr shows of a run: the log, and the progress line on a terminal.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "tscatter/core/progress.hpp"

namespace tscatter::app {

// ---- The log on stderr: decisions with -v, each step with -vv. stdout carries results only.

enum class LogLevel : std::uint8_t {
  info,   // -v
  debug,  // -vv
};

// Logs nothing if verbosity is 0 or less.
void set_up_log(int verbosity, const std::string& color);

bool is_logged(LogLevel level);

// Text for stdout or stderr: in a step of GitHub Actions no line of it is a workflow command, "::x"
// becomes "\\x3a:x". Elsewhere the text as it is.
std::string in_log_of_step(std::string_view text);

// The same, wherever it is printed. A piece of a line counts as a whole one.
std::string without_commands(std::string_view lines);

// Safe to call from several threads. Control characters are escaped.
void log_line(LogLevel level, const std::string& text);

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  if (is_logged(LogLevel::info))
    log_line(LogLevel::info, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  if (is_logged(LogLevel::debug))
    log_line(LogLevel::debug, fmt::format(format, std::forward<Args>(args)...));
}

// ---- The line on stderr that says how far a run is: on a terminal, once the run has lasted a
// second.

// Whether stderr is a terminal that can erase a line.
bool can_show_progress();

// Draws the line anew. Nothing is drawn once a signal has ended the run.
void draw_progress(std::string_view text);

// Erases the line, if there is one; everything else that is written to the terminal comes after
// it. A signal handler may call both.
void clear_progress();
void end_progress();  // none is drawn again

// "1.5 GiB of 4.0 GiB, 37 %, 12 s left"; of an unknown total "1.5 GiB". `seconds`: for what is
// done.
std::string progress_text(std::int64_t done, std::int64_t total, double seconds);

enum class ShowProgress : bool { no, on_terminals };

// Draws the line of one run. It starts no thread: who moves it draws it.
class ProgressLine final : public Progress {
 public:
  explicit ProgressLine(ShowProgress show);
  ~ProgressLine() override;

  // The line of the present run, or what its host reads; nullptr if none is shown.
  static Progress* of_run();

 private:
  using Clock = std::chrono::steady_clock;

  void begun() override;
  void moved() override;

  std::mutex mutex_;  // of drawing
  std::atomic<Clock::rep> next_;
  std::atomic<Clock::rep> phase_begin_;
};

}  // namespace tscatter::app
