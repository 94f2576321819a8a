// stdout of a batch, and the progress line on a terminal. Collects lines for a moment, so that
// thousands of them take a few writes.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace tscatter::app {

class Console {
 public:
  // `progress` returns the text of the progress line; a separate thread calls it once the run has
  // lasted a second. nullptr: no progress line.
  explicit Console(std::function<std::string()> progress);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console();

  void print(std::string_view text);
  void flush();  // Throws Error (file.f5).

 private:
  void keep_up(const std::stop_token& stop);
  void flush_locked();
  void clear_progress();

  std::function<std::string()> progress_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::string pending_;
  bool shows_progress_ = false;
  std::jthread keeper_;
};

// Whether the progress line is wanted: stderr is a terminal.
bool is_progress_shown();

}  // namespace tscatter::app
