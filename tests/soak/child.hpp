// Runs the program with its streams in files, and can kill it after a while.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace tscatter::soak {

using Words = std::vector<std::string>;

struct Ended {
  int exit_code = -1;  // -1: it died by a signal
  int signal = 0;
  std::chrono::microseconds duration{};
};

struct Streams {
  std::string in = "/dev/null";
  std::string out = "/dev/null";
  std::string err = "/dev/null";
};

// SIGALRM ends it after ten minutes.
Ended run_child(const Words& words, const Streams& streams);

// Sends SIGKILL after `delay`.
Ended run_and_kill(const Words& words, const Streams& streams, std::chrono::microseconds delay);

}  // namespace tscatter::soak
