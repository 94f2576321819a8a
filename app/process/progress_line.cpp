#include "process/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>

#include "process/environment.hpp"
#include "process/host.hpp"
#include "text/figure.hpp"

namespace tscatter::app {
namespace {

constexpr std::string_view clear_line = "\r\x1b[K";

std::atomic<bool> is_drawn{false};
std::atomic<bool> is_over{false};
std::atomic<Progress*> run_progress{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free);

// Nothing can be done about a failure.
void put(std::string_view text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

void die_without_line(int signal) {
  end_progress();
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // once this handler has returned
}

// A run that catches no signals dies by them as before.
void clear_before_death() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_DFL) std::signal(signal, die_without_line);
  }
}

std::string time_left(double seconds) {
  constexpr std::int64_t minute = 60;
  constexpr std::int64_t hour = 60 * minute;
  const auto left = static_cast<std::int64_t>(std::ceil(seconds));
  if (left >= hour) return fmt::format("{} h {} min", left / hour, left % hour / minute);
  if (left >= minute) return fmt::format("{} min {} s", left / minute, left % minute);
  return fmt::format("{} s", left);
}

}  // namespace

bool can_show_progress() { return ::isatty(STDERR_FILENO) == 1 && variable("TERM") != "dumb"; }

void draw_progress(std::string_view text) {
  if (is_over) return;
  clear_before_death();
  is_drawn = true;
  put(std::string(clear_line).append(text));
}

void clear_progress() {
  if (is_drawn.exchange(false)) put(clear_line);
}

void end_progress() {
  is_over = true;
  clear_progress();
}

std::string progress_text(std::int64_t done, std::int64_t total, double seconds) {
  if (total <= 0) return size_text(done);
  done = std::min(done, total);
  const double share = static_cast<double>(done) / static_cast<double>(total);
  std::string text = fmt::format("{} of {}, {} %", size_text(done), size_text(total),
                                 static_cast<int>(100 * share));
  if (done == 0) return text;
  const double left = static_cast<double>(total - done) / static_cast<double>(done);
  return text + fmt::format(", {} left", time_left(seconds * left));
}

ProgressLine::ProgressLine(ShowProgress show) {
  constexpr auto patience = std::chrono::seconds(1);
  const Clock::time_point now = Clock::now();
  next_ = (now + patience).time_since_epoch().count();
  phase_begin_ = now.time_since_epoch().count();
  if (show == ShowProgress::on_terminals && can_show_progress()) run_progress = this;
}

ProgressLine::~ProgressLine() {
  run_progress = nullptr;
  clear_progress();
}

Progress* ProgressLine::of_run() {
  const Host* const host = Host::present();
  return host == nullptr ? run_progress.load() : host->progress();
}

// The line of a phase is not left standing in the next one, which may move nothing or write to the
// same terminal.
void ProgressLine::begun() {
  phase_begin_ = Clock::now().time_since_epoch().count();
  clear_progress();
}

void ProgressLine::moved() {
  constexpr auto pause = std::chrono::milliseconds(100);
  const auto now = Clock::now().time_since_epoch();
  if (now.count() < next_.load(std::memory_order_relaxed)) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || now.count() < next_) return;
  next_ = (now + pause).count();
  const std::chrono::duration<double> seconds = now - Clock::duration(phase_begin_);
  draw_progress(progress_text(done(), total(), seconds.count()));
}

}  // namespace tscatter::app
