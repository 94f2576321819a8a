#include "tscatter/io/files/waiting.hpp"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "tscatter/core/fail.hpp"

namespace tscatter {

Patience::Patience(Waiting waiting, std::string name, std::string what)
    : waiting_{std::move(waiting)}, name_{std::move(name)}, what_{std::move(what)} {}

Patience::~Patience() {
  if (!has_paused_ || !waiting_.log) return;
  waiting_.log(fmt::format("{}: waited {:.6f} s for another process that had locked {}", name_,
                           clock_.seconds(), what_));
}

void Patience::pause() {
  constexpr std::chrono::milliseconds length{10};
  constexpr std::chrono::seconds silence{1};
  has_paused_ = true;
  const std::chrono::duration<double> waited(clock_.seconds());
  check_stop(waiting_.stop);
  // file.f9
  if (waiting_.at_most && waited >= *waiting_.at_most) {
    fail(ErrorKind::file, "file.f9", name_,
         "is still locked after {} s (--wait): another process holds {}", waiting_.at_most->count(),
         what_);
  }
  if (waiting_.tell && !is_told_ && waited >= silence) {
    is_told_ = true;
    waiting_.tell(fmt::format("{}: waiting for another process, which holds {}", name_, what_));
  }
  std::this_thread::sleep_for(length);
}

}  // namespace tscatter
