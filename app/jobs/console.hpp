// The words of a run, and the progress line on a terminal. Collects lines for a moment, so that
// thousands of them take a few writes.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "jobs/result.hpp"
#include "process/host.hpp"
#include "process/log.hpp"

namespace tscatter::app {

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

}  // namespace tscatter::app
