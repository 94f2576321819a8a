// How long a step took that may be slow: a wait, a file read into a spool. For a program's log.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <string>

namespace tscatter {

// Is told what was done, and how long it took: "x.npz:w: 48 bytes inflated in 0.000104 s"
using TellStep = std::function<void(const std::string& words)>;

class StepClock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  // `what` ends with a participle.
  void tell(const TellStep& teller, const std::string& what) const {
    if (teller) teller(fmt::format("{} in {:.6f} s", what, seconds()));
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace tscatter
