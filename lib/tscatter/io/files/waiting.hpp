// Waiting for a lock that another process holds.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "tscatter/core/progress.hpp"
#include "tscatter/io/files/step_clock.hpp"

namespace tscatter {

struct Waiting {
  std::optional<std::chrono::seconds> at_most = {};  // nullopt: for ever
  StopFlag stop = nullptr;                           // waiting throws Cancelled when it is true
  std::function<void(const std::string& words)> tell = {};  // what is waited for, after a second
  TellStep log = {};                                        // how long it was, when it is over
};

// The pauses of one wait.
class Patience {
 public:
  // For messages: `name` is the file's, `what` is what the other process has locked.
  Patience(Waiting waiting, std::string name, std::string what);
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;
  ~Patience();

  // Throws Cancelled, and Error (file, file.f9) when the time is over.
  void pause();

 private:
  Waiting waiting_;
  std::string name_;
  std::string what_;
  StepClock clock_;
  bool has_paused_ = false;
  bool is_told_ = false;
};

}  // namespace tscatter
