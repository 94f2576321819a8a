// Host: for whom a thread works. The program prints, has a progress line and dies by signals; a
// caller of the library for C gets the words as text, has a flag that ends the run, and may ask how
// far it is.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "tscatter/core/progress.hpp"

namespace tscatter::app {

class Host {
 public:
  // `progress` may be nullptr.
  explicit Host(StopFlag stop, Progress* progress = nullptr) : stop_{stop}, progress_{progress} {}

  StopFlag stop() const { return stop_; }
  // Where it learns how far the call is; nullptr: it does not ask.
  Progress* progress() const { return progress_; }

  // How long this call waits for locks: locks.hpp. Of one thread.
  std::optional<std::chrono::seconds>& lock_wait() { return lock_wait_; }

  // What the program would write to stdout. Safe to call from several threads.
  void print(std::string_view text) {
    const std::scoped_lock lock(mutex_);
    printed_ += text;
  }
  // REQUIRES: nobody prints any more.
  const std::string& printed() const { return printed_; }

  // The host that this thread works for; nullptr: the program.
  static Host* present();

 private:
  StopFlag stop_;
  Progress* progress_;
  std::mutex mutex_;
  std::string printed_;
  std::optional<std::chrono::seconds> lock_wait_;
};

// During its lifetime this thread works for `host`. A thread that is started does not inherit it.
class HostScope {
 public:
  explicit HostScope(Host* host);
  HostScope(const HostScope&) = delete;
  HostScope& operator=(const HostScope&) = delete;
  ~HostScope();

 private:
  Host* outer_;
};

}  // namespace tscatter::app
