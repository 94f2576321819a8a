#include "soak/child.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <thread>

namespace tscatter::soak {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned longest_run = 600;  // seconds; a machine may be busy

[[noreturn]] void become(const Words& words, const Streams& streams) {
  constexpr mode_t mode = 0666;
  constexpr int created = O_WRONLY | O_CREAT | O_TRUNC;
  ::dup2(::open(streams.in.c_str(), O_RDONLY), STDIN_FILENO);
  ::dup2(::open(streams.out.c_str(), created, mode), STDOUT_FILENO);
  ::dup2(::open(streams.err.c_str(), created, mode), STDERR_FILENO);
  ::alarm(longest_run);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

Ended wait_for(pid_t process, Clock::time_point begin) {
  int status = 0;
  ::waitpid(process, &status, 0);
  Ended ended;
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  ended.duration = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  return ended;
}

pid_t start(const Words& words, const Streams& streams) {
  const pid_t process = ::fork();
  if (process < 0) throw std::runtime_error("no process");
  if (process == 0) become(words, streams);
  return process;
}

}  // namespace

Ended run_child(const Words& words, const Streams& streams) {
  const auto begin = Clock::now();
  return wait_for(start(words, streams), begin);
}

Ended run_and_kill(const Words& words, const Streams& streams, std::chrono::microseconds delay) {
  const auto begin = Clock::now();
  const pid_t process = start(words, streams);
  std::this_thread::sleep_for(delay);
  ::kill(process, SIGKILL);
  return wait_for(process, begin);
}

}  // namespace tscatter::soak
