#include "batch/batch_log.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "process/log.hpp"
#include "text/figure.hpp"

namespace tscatter::app {

void BatchLog::begins(const BatchCase& each, int threads) const {
  log_debug("case {} ({}): begins, {}", each.name, each.place, several(threads, "thread"));
}

void BatchLog::ended(const CaseResult& result) {
  constexpr std::size_t most = 3;
  log_debug("case {} ({}): {} in {:.6f} s", result.name, result.place, name_of(result.state),
            result.seconds);
  if (!is_logged(LogLevel::info)) return;
  const std::scoped_lock lock(mutex_);
  ++cases_;
  const auto at = std::ranges::find_if(
      slowest_, [&](const Slow& slow) { return slow.seconds < result.seconds; });
  slowest_.insert(at, {.seconds = result.seconds, .name = result.name});
  if (slowest_.size() > most) slowest_.pop_back();
}

BatchLog::Span::~Span() {
  if (!is_logged(LogLevel::info)) return;
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin_;
  const std::scoped_lock lock(log_.mutex_);
  log_.seconds_[static_cast<std::size_t>(part_)] += time.count();
}

void BatchLog::end() const {
  if (!is_logged(LogLevel::info)) return;
  const auto [reading, waiting, running] = seconds_;
  log_info(
      "batch: {} cases run by {} workers, whose time went to cases {:.6f} s, reading {:.6f} s, "
      "waiting {:.6f} s",
      cases_, workers_, running, reading, waiting);
  std::vector<std::string> slowest;
  for (const Slow& slow : slowest_)
    slowest.push_back(fmt::format("{} {:.6f} s", slow.name, slow.seconds));
  if (!slowest.empty()) log_info("slowest cases: {}", fmt::join(slowest, ", "));
}

}  // namespace tscatter::app
