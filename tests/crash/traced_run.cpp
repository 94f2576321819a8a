#include "crash/traced_run.hpp"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <stdexcept>

namespace tscatter::crash {
namespace {

constexpr std::array<std::uint64_t, 16> changing{
    SYS_pwrite64, SYS_write,     SYS_pwritev, SYS_writev, SYS_fsync,     SYS_fdatasync, SYS_openat,
    SYS_unlinkat, SYS_renameat2, SYS_fchown,  SYS_fchmod, SYS_ftruncate, SYS_fallocate, SYS_ioctl,
#ifdef SYS_unlink
    SYS_unlink,   SYS_rename,
#endif
};

[[noreturn]] void become(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int null = ::open("/dev/null", O_RDWR);
  for (int descriptor = 0; descriptor < 3; ++descriptor) ::dup2(null, descriptor);
  constexpr int no_tracing = 126;
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(no_tracing);
  ::raise(SIGSTOP);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

// Whether the call changes files: of those that open one, only those that create it.
bool is_changing(const __ptrace_syscall_info& info) {
  const std::uint64_t number = info.entry.nr;
  if (std::find(changing.begin(), changing.end(), number) == changing.end()) return false;
  return number != SYS_openat || (info.entry.args[2] & O_CREAT) != 0;
}

class Tracer {
 public:
  Tracer(pid_t process, KillPoint kill) : process_{process}, kill_{kill} {}

  TracedResult run() {
    for (;;) {
      int status = 0;
      const pid_t thread = ::waitpid(-1, &status, __WALL);
      if (thread < 0) throw std::runtime_error("waitpid failed");
      if (thread == process_ && !WIFSTOPPED(status)) {
        result_.was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return result_;
      }
      if (WIFSTOPPED(status)) go_on(thread, WSTOPSIG(status));
    }
  }

 private:
  void go_on(pid_t thread, int signal) {
    constexpr int call_stop = SIGTRAP | 0x80;
    if (signal == call_stop) {
      if (is_point(thread)) {
        ::kill(process_, SIGKILL);
        return;
      }
      signal = 0;
    }
    if (signal == SIGTRAP || signal == SIGSTOP) signal = 0;  // of new threads, and of exec
    ::ptrace(PTRACE_SYSCALL, thread, nullptr, signal);
  }

  bool is_point(pid_t thread) {
    __ptrace_syscall_info info{};
    ::ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), thread, sizeof info, &info);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY && is_changing(info)) {
      const std::int64_t call = result_.calls++;
      pending_[thread] = call;
      return call == kill_.call && kill_.moment == Moment::before;
    }
    if (info.op != PTRACE_SYSCALL_INFO_EXIT || !pending_.contains(thread)) return false;
    const std::int64_t call = pending_[thread];
    pending_.erase(thread);
    return call == kill_.call && kill_.moment == Moment::after;
  }

  pid_t process_;
  KillPoint kill_;
  std::map<pid_t, std::int64_t> pending_;
  TracedResult result_;
};

}  // namespace

std::optional<TracedResult> traced_run(const std::vector<std::string>& words, KillPoint kill) {
  const pid_t process = ::fork();
  if (process == 0) become(words);
  int status = 0;
  ::waitpid(process, &status, 0);
  if (!WIFSTOPPED(status)) return std::nullopt;
  constexpr long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
  ::ptrace(PTRACE_SETOPTIONS, process, nullptr, options);
  ::ptrace(PTRACE_SYSCALL, process, nullptr, nullptr);
  return Tracer(process, kill).run();
}

}  // namespace tscatter::crash
