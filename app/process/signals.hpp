// Handles SIGINT, SIGTERM and SIGHUP while there is a temporary file: the run ends cleanly, so that
// nothing is left behind, and then the program dies by the signal.
#pragma once

#include <string>

#include "tscatter/core/progress.hpp"

namespace tscatter::app {

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
