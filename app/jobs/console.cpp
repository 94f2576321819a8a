#include "jobs/console.hpp"

#include <chrono>
#include <cstddef>
#include <system_error>
#include <utility>

#include "tscatter/core/error.hpp"

namespace tscatter::app {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Console::Console(ShowProgress show, std::function<std::string()> progress, WordsGo words)
    : words_{words} {
  if (show == ShowProgress::on_terminals && host_ == nullptr && can_show_progress())
    progress_ = std::move(progress);
  try {
    keeper_ = std::jthread([this](const std::stop_token& stop) { keep_up(stop); });
  } catch (const std::system_error&) {
    // The system has no more threads: output is not flushed in between, and there is no progress
    // line.
  }
}

Console::~Console() {
  keeper_.request_stop();
  if (keeper_.joinable()) keeper_.join();
  clear_progress();
}

void Console::print(std::string_view text) {
  constexpr std::size_t enough = std::size_t{64} << 10U;
  const std::scoped_lock lock(mutex_);
  pending_ += text;
  if (pending_.size() >= enough) flush_locked();
}

void Console::flush() {
  const std::scoped_lock lock(mutex_);
  flush_locked();
}

void Console::flush_locked() {
  if (pending_.empty()) return;
  const std::string text = std::exchange(pending_, {});
  app::print(text, words_);
}

void Console::keep_up(const std::stop_token& stop) {
  const HostScope scope(host_);
  constexpr auto pause = std::chrono::milliseconds(100);
  constexpr auto patience = std::chrono::seconds(1);
  const Clock::time_point begin = Clock::now();
  std::unique_lock lock(mutex_);
  while (!woken_.wait_for(lock, stop, pause, [] { return false; }) && !stop.stop_requested()) {
    try {
      flush_locked();
    } catch (const Error&) {
      return;  // the next print() meets it too
    }
    if (progress_ == nullptr || Clock::now() - begin < patience) continue;
    draw_progress(progress_());
  }
}

}  // namespace tscatter::app
