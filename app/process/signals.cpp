#include "process/signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace tscatter::app {
namespace {

constexpr std::array caught{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, caught.size()> previous{};
std::atomic<bool> stop_requested{false};
std::atomic<int> caught_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void on_signal(int signal) {
  caught_signal = signal;
  stop_requested = true;
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
  for (std::size_t i = 0; i < caught.size(); ++i) {
    ::sigaction(caught[i], nullptr, &previous[i]);
    if (previous[i].sa_handler == SIG_IGN) continue;  // as under nohup
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigemptyset(&action.sa_mask);
    ::sigaction(caught[i], &action, nullptr);
  }
}

InterruptScope::~InterruptScope() {
  for (std::size_t i = 0; i < caught.size(); ++i) ::sigaction(caught[i], &previous[i], nullptr);
}

const std::atomic<bool>* InterruptScope::stop() { return &stop_requested; }

void die_if_interrupted() {
  if (caught_signal == 0) return;
  std::signal(caught_signal, SIG_DFL);
  std::raise(caught_signal);
}

}  // namespace tscatter::app
