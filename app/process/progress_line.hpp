// The line on stderr that says how far a run is: on a terminal, once the run has lasted a second.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include "tscatter/core/progress.hpp"

namespace tscatter::app {

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
