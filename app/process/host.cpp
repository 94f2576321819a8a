#include "process/host.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <list>
#include <utility>

#include "process/errors.hpp"
#include "process/log.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {
namespace {

thread_local Host* of_thread = nullptr;

}  // namespace

Host* Host::present() { return of_thread; }

HostScope::HostScope(Host* host) : outer_{std::exchange(of_thread, host)} {}
HostScope::~HostScope() { of_thread = outer_; }

namespace {

constexpr std::array caught{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, caught.size()> previous{};
std::atomic<bool> stop_requested{false};
std::atomic<bool> stop_in_place_requested{false};
std::atomic<int> caught_signal{0};
std::atomic<bool> something_stands{false};
std::atomic<bool> outlives{false};

// What a second signal does. Of it and hold_signals(), in two threads, one comes first.
enum class Second : std::uint8_t { kills, has_killed, is_held };
std::atomic<Second> second{Second::kills};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<Second>::is_always_lock_free);

// The handler returns before the signal comes again, and kills.
void die_by(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void on_signal(int signal) {
  end_progress();
  const bool is_first = !stop_requested.exchange(true);
  Second kills = Second::kills;
  if (is_first) {
    caught_signal = signal;
    if (second != Second::is_held) stop_in_place_requested = true;
  } else if (second.compare_exchange_strong(kills, Second::has_killed)) {
    die_by(signal);
  } else {
    stop_in_place_requested = true;
  }
}

// What stands. Never destroyed: a signal may come at any time.
const std::string* standing = nullptr;
const std::string* last_words = nullptr;

void say_last_words() {
  end_progress();
  // Nothing can be done about a failure.
  [[maybe_unused]] const auto put = ::write(STDERR_FILENO, last_words->data(), last_words->size());
}

void on_late_signal(int /*signal*/) {
  say_last_words();
  ::_exit(done_but_unreported);
}

// Signals that were ignored at the start, as under nohup, stay so.
void catch_signals(void (*handler)(int)) {
  for (const int signal : caught) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = handler;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

// Kept to the end: a handler may read them at any time.
const std::string& kept(std::string words) {
  static auto* const all = new std::list<std::string>;
  return all->emplace_back(std::move(words));
}

}  // namespace

void set_up_signals() {
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);
}

void occupy_closed_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // open() returns the lowest free number, the closed one. The wrong direction keeps it unusable.
    const int direction = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", direction) < 0) return;
  }
}

InterruptScope::InterruptScope() {
  if (Host::present() != nullptr) return;
  for (std::size_t i = 0; i < caught.size(); ++i) ::sigaction(caught[i], nullptr, &previous[i]);
  catch_signals(on_signal);
}

InterruptScope::~InterruptScope() {
  if (standing != nullptr || outlives || Host::present() != nullptr) return;
  for (std::size_t i = 0; i < caught.size(); ++i) ::sigaction(caught[i], &previous[i], nullptr);
  second = Second::kills;
}

StopFlag InterruptScope::stop() {
  const Host* host = Host::present();
  return host == nullptr ? &stop_requested : host->stop();
}

StopFlag InterruptScope::stop_in_place() {
  return Host::present() == nullptr ? &stop_in_place_requested : nullptr;
}

void hold_signals() {
  Second kills = Second::kills;
  if (second.compare_exchange_strong(kills, Second::is_held)) return;
  while (second == Second::has_killed) ::pause();  // the process is about to die
}

void note_standing() { something_stands = true; }
bool has_standing() { return something_stands; }

void now_stands(const std::string& words) {
  if (Host::present() != nullptr) return;
  last_words =
      &kept(in_log_of_step("tscatter: a signal came too late: " + escape_control(words) + "\n"));
  standing = &kept(words);
  std::signal(SIGPIPE, SIG_IGN);
  catch_signals(on_late_signal);
}

std::string what_stands() { return standing == nullptr ? std::string() : *standing; }

void outlive_signals() { outlives = true; }

int code_after_signal(int code) {
  if (caught_signal == 0 || (outlives && standing == nullptr)) return code;
  if (standing == nullptr) {
    die_by(caught_signal);
    return code;
  }
  say_last_words();
  return done_but_unreported;
}

}  // namespace tscatter::app
