// SIGINT, SIGTERM and SIGHUP while a temporary file is there: the run ends in order, so that
// nothing is left behind, and the program then dies by the signal.
#pragma once

#include <atomic>

namespace tscatter::app {

// Broken pipes end the program by SIGPIPE; a file that outgrows its limit is an error, not a death.
void set_up_signals();

// Takes the places of stdin, stdout and stderr where they are closed, so that no file that is
// opened later gets them; reading and writing there still fails.
void occupy_closed_streams();

// While it lives, the first signal only raises stop(); a second one kills.
class InterruptScope {
 public:
  InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  ~InterruptScope();

  static const std::atomic<bool>* stop();
};

// Dies by the signal that was caught, if one was.
void die_if_interrupted();

}  // namespace tscatter::app
