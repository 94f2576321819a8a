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

// During its lifetime the first signal only raises stop(); a second one kills. For a host nothing
// is caught, and stop() is its flag.
class InterruptScope {
 public:
  InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  ~InterruptScope();

  static const std::atomic<bool>* stop();
};

// Says what a run has done that stays, like "x.npy was written". A signal from here on ends the
// program with that on stderr, and a broken pipe is an error.
void now_stands(const std::string& words);

// Those words; empty if nothing stands.
std::string what_stands();

// Dies by the signal that was caught, if one was; says first what stands.
void die_if_interrupted();

}  // namespace tscatter::app
