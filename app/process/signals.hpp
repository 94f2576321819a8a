// Handles SIGINT, SIGTERM and SIGHUP while there is a temporary file: the run ends cleanly, so that
// nothing is left behind, and then the program dies by the signal.
#pragma once

#include <atomic>
#include <string>

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

  static const std::atomic<bool>* stop();

  // For a change in place, which the first signal does not stop: raised by a second one if signals
  // are held. nullptr for a host.
  static const std::atomic<bool>* stop_in_place();
};

// From here on until the end of the scope no signal kills: something is about to be changed or
// named, and who dies by a signal leaves everything as it was.
void hold_signals();

// Of a batch, whose cases go on: one of them has changed or written a file, which is not taken
// back.
void note_standing();
bool has_standing();

// Says what a run has done that stays, like "x.npy was written". A signal from here on ends the
// program with that on stderr and done_but_unreported, and a broken pipe is an error.
void now_stands(const std::string& words);

// Those words; empty if nothing stands.
std::string what_stands();

// The run does not die by a signal, whenever it comes: the error that follows says what is left.
void outlive_signals();

// If a signal was caught: dies by it, or if something stands, says that it came too late. Returns
// the exit code: `code`, or done_but_unreported after such a signal.
int code_after_signal(int code);

}  // namespace tscatter::app
