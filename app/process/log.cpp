#include "process/log.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <memory>

#include "process/environment.hpp"
#include "process/host.hpp"
#include "text/figure.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

// Created only when something is logged: a tiny job should not wait for it.
std::shared_ptr<spdlog::logger> logger;

spdlog::color_mode color_mode(const std::string& color) {
  if (color == "always") return spdlog::color_mode::always;
  if (color == "never") return spdlog::color_mode::never;
  return spdlog::color_mode::automatic;
}

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::debug: return spdlog::level::debug;
  }
  unreachable();
}

}  // namespace

std::string in_log_of_step(std::string_view text) {
  return github_step() ? without_commands(text) : std::string(text);
}

// A line is a command if it begins with ::, or has ##[ anywhere. GitHub ignores white space and
// invisible characters before the ::, so everything beyond ASCII counts as such here.
std::string without_commands(std::string_view lines) {
  constexpr std::string_view mark = "##[";
  std::string harmless;
  bool begins_line = true;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const char c = lines[at];
    const std::string_view rest = lines.substr(at, mark.size());
    const bool is_command = (begins_line && c == ':') || (c == '#' && mark.starts_with(rest));
    harmless += is_command ? fmt::format("\\x{:02x}", c) : std::string(1, c);
    const bool is_passed_over = c == ' ' || c == '\t' || static_cast<unsigned char>(c) >= 0x80;
    begins_line = c == '\n' || (begins_line && is_passed_over);
  }
  return harmless;
}

void set_up_log(int verbosity, const std::string& color) {
  if (verbosity <= 0) return;
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(color_mode(color));
  logger = std::make_shared<spdlog::logger>("tscatter", std::move(sink));
  logger->set_pattern("[%H:%M:%S.%f] %^%-5l%$ %v");
  logger->set_level(level_of(verbosity == 1 ? LogLevel::info : LogLevel::debug));
}

bool is_logged(LogLevel level) { return logger != nullptr && logger->should_log(level_of(level)); }

void log_line(LogLevel level, const std::string& text) {
  if (logger == nullptr) return;
  clear_progress();
  logger->log(level_of(level), in_log_of_step(escape_control(text)));
}

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
