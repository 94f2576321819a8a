// For whom a thread works, and the signals that end a run.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "tscatter/core/progress.hpp"

namespace tscatter::app {

// ---- Host: for whom a thread works. The program prints, has a progress line and dies by signals;
// a caller of the library for C gets the words as text, has a flag that ends the run, and may ask
// how far it is.

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

// ---- Handles SIGINT, SIGTERM and SIGHUP while there is a temporary file: the run ends cleanly, so
// that nothing is left behind, and then the program dies by the signal.

// Broken pipes end the program by SIGPIPE; a file that outgrows its limit is an error, not a death.
void set_up_signals();

// Occupies the descriptors of stdin, stdout and stderr if they are closed, so that no file opened
// later gets them; reading and writing there still fails.
void occupy_closed_streams();

// During its lifetime the first signal only raises stop(); a second one kills, unless signals are
// held. For a host nothing is caught, and stop() is its flag.
class InterruptScope {
 public:
  InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  ~InterruptScope();

  static StopFlag stop();

  // For a change in place, which the first signal stops only before signals are held: raised by it
  // then, else by a second one. nullptr for a host.
  static StopFlag stop_in_place();
};

// From here until the end of the scope no signal kills. Call it before something is changed or gets
// its name: a program that dies by a signal must leave everything as it was.
void hold_signals();

// For a batch, which goes on: notes that one of its cases has changed or written a file, which is
// not taken back.
void note_standing();
bool has_standing();

// Notes what a run has done that stays: "x.npy was written". From here on a signal prints that on
// stderr and ends the program with exit code done_but_unreported, and a broken pipe is an error.
void now_stands(const std::string& words);

// What now_stands() noted; empty if nothing was.
std::string what_stands();

// From here on the program does not die by a signal, not even by an earlier one: an error follows
// that says what is left.
void outlive_signals();

// If a signal was caught: dies by it, or if something stands, says that it came too late. Returns
// the exit code: `code`, or done_but_unreported after such a signal.
int code_after_signal(int code);

}  // namespace tscatter::app
