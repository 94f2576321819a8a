#include "faults/traced_run.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <map>
#include <stdexcept>

namespace tscatter::faults {
namespace {

constexpr unsigned longest_run = 20;  // seconds; what takes longer hangs

#if defined(__x86_64__) || defined(__i386__)
constexpr bool can_interfere = true;

#if defined(__x86_64__)
constexpr std::size_t number_register = offsetof(user_regs_struct, orig_rax);
constexpr std::size_t count_register = offsetof(user_regs_struct, rdx);
constexpr std::size_t result_register = offsetof(user_regs_struct, rax);
#else
constexpr std::size_t number_register = offsetof(user_regs_struct, orig_eax);
constexpr std::size_t count_register = offsetof(user_regs_struct, edx);
constexpr std::size_t result_register = offsetof(user_regs_struct, eax);
#endif

void poke(pid_t thread, std::size_t offset, long value) {
  ::ptrace(PTRACE_POKEUSER, thread, offset, value);
}
// A call with an invalid number has no effect.
void leave_out(pid_t thread) { poke(thread, number_register, -1); }
void set_count(pid_t thread, std::uint64_t count) {
  poke(thread, count_register, static_cast<long>(count));
}
void set_result(pid_t thread, std::int64_t result) {
  poke(thread, result_register, static_cast<long>(result));
}
#elif defined(__aarch64__)
constexpr bool can_interfere = true;

void set_register(pid_t thread, std::size_t number, std::uint64_t value) {
  user_regs_struct registers{};
  iovec part{.iov_base = &registers, .iov_len = sizeof registers};
  ::ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &part);
  registers.regs[number] = value;
  ::ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &part);
}
void leave_out(pid_t thread) {
  int number = -1;
  iovec part{.iov_base = &number, .iov_len = sizeof number};
  ::ptrace(PTRACE_SETREGSET, thread, NT_ARM_SYSTEM_CALL, &part);
}
void set_count(pid_t thread, std::uint64_t count) { set_register(thread, count_argument, count); }
void set_result(pid_t thread, std::int64_t result) {
  set_register(thread, 0, static_cast<std::uint64_t>(result));
}
#else
constexpr bool can_interfere = false;
void leave_out(pid_t) {}
void set_count(pid_t, std::uint64_t) {}
void set_result(pid_t, std::int64_t) {}
#endif

// A file in memory that takes what the program prints.
class Captured {
 public:
  Captured() : descriptor_{::memfd_create("captured", MFD_CLOEXEC)} {}
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() { ::close(descriptor_); }

  int descriptor() const { return descriptor_; }

  std::string text() const {
    std::string text;
    std::array<char, 4096> piece{};
    for (;;) {
      const ssize_t got =
          ::pread(descriptor_, piece.data(), piece.size(), static_cast<off_t>(text.size()));
      if (got <= 0) return text;
      text.append(piece.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  int descriptor_;
};

[[noreturn]] void become(const Tracing& tracing, int out, int err) {
  std::vector<char*> arguments;
  for (const std::string& word : tracing.words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  for (const std::string& variable : tracing.environment)
    ::putenv(const_cast<char*>(variable.c_str()));
  ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::alarm(longest_run);
  constexpr int no_tracing = 126;
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(no_tracing);
  ::raise(SIGSTOP);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

std::string text_at(pid_t process, std::uint64_t address) {
  constexpr std::size_t page = 4096;  // what lies behind its end may not be readable
  std::string text;
  while (text.size() < PATH_MAX) {
    std::array<char, page> piece{};
    const auto place = static_cast<std::uintptr_t>(address) + text.size();
    iovec own{.iov_base = piece.data(), .iov_len = page - place % page};
    iovec other{.iov_base = reinterpret_cast<void*>(place), .iov_len = own.iov_len};
    if (::process_vm_readv(process, &own, 1, &other, 1, 0) <= 0) break;
    const auto end = std::find(piece.begin(), piece.begin() + static_cast<long>(own.iov_len), '\0');
    text.append(piece.begin(), end);
    if (end != piece.begin() + static_cast<long>(own.iov_len)) break;
  }
  return text;
}

class Tracer {
 public:
  Tracer(pid_t process, const Tracing& tracing, const Fault& fault)
      : process_{process}, tracing_{tracing}, fault_{fault} {}

  TracedResult run() {
    for (;;) {
      int status = 0;
      const pid_t thread = ::waitpid(-1, &status, __WALL);
      if (thread < 0) throw std::runtime_error("waitpid failed");
      know(thread);
      if (status >> 8 == (SIGTRAP | PTRACE_EVENT_CLONE << 8)) {
        unsigned long started = 0;
        ::ptrace(PTRACE_GETEVENTMSG, thread, nullptr, &started);
        know(static_cast<pid_t>(started));
      }
      if (thread == process_ && !WIFSTOPPED(status)) {
        if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
        if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
        return std::move(result_);
      }
      if (WIFSTOPPED(status)) go_on(thread, WSTOPSIG(status));
    }
  }

 private:
  // What to do at the exit of a call that was tampered with.
  struct Pending {
    std::optional<std::int64_t> result = std::nullopt;
    bool kills = false;
  };

  // A thread that starts another one stops first, so threads are numbered in the order of their
  // start.
  void know(pid_t thread) {
    threads_.try_emplace(thread, Thread{.ordinal = static_cast<int>(threads_.size())});
  }

  void go_on(pid_t thread, int signal) {
    constexpr int call_stop = SIGTRAP | 0x80;
    if (signal == call_stop) {
      at_call(thread);
      signal = 0;
    }
    if (signal == SIGTRAP || signal == SIGSTOP) signal = 0;  // of new threads, and of exec
    ::ptrace(is_over_ ? PTRACE_DETACH : PTRACE_SYSCALL, thread, nullptr, signal);
  }

  void at_call(pid_t thread) {
    __ptrace_syscall_info info{};
    ::ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), thread, sizeof info, &info);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
      SystemCall call{.number = info.entry.nr};
      std::copy(std::begin(info.entry.args), std::end(info.entry.args), call.arguments.begin());
      enter(thread, call);
    } else if (const auto pending = pending_.find(thread); pending != pending_.end()) {
      if (pending->second.result) set_result(thread, *pending->second.result);
      if (pending->second.kills) ::kill(process_, SIGKILL);
      pending_.erase(pending);
      // The result can be seen without watching every call.
      is_over_ = result_.was_met && fault_.deed != Deed::fail_on && tracing_.knows_unnamed_files;
    }
  }

  void enter(pid_t thread, SystemCall call) {
    if (!is_known(call) || is_about_a_pipe(call)) return;
    if (!is_watching_ && !names_the_directory(call)) return;
    is_watching_ = true;
    Thread& its_thread = threads_.at(thread);
    call.thread = its_thread.ordinal;
    call.place = its_thread.watched_calls++;
    call.turn = turns_[call.number]++;
    result_.calls.push_back(call);
    if (!tracing_.knows_unnamed_files && opens_unnamed(call)) {
      fail(thread, call, EOPNOTSUPP);
    } else if (fault_.deed != Deed::none && is_expected(call)) {
      result_.was_met = true;
      interfere(thread, call);
    } else if (fault_.deed == Deed::fail_on && result_.was_met && is_write_like(call)) {
      const auto errors = errors_of(call);
      if (std::ranges::count(errors, fault_.error_number) > 0)
        fail(thread, call, fault_.error_number);
    }
  }

  bool is_expected(const SystemCall& call) const {
    if (fault_.number != 0 && fault_.number != call.number) return false;
    if (fault_.turn >= 0) return call.turn == fault_.turn;
    return call.thread == fault_.thread && call.place == fault_.call;
  }

  // The program makes no pipe. The address sanitizer writes to one to find out whether memory is
  // readable.
  bool is_about_a_pipe(const SystemCall& call) const {
    if (!may_be_short(call) && call.number != SYS_close) return false;
    const std::filesystem::path link =
        fmt::format("/proc/{}/fd/{}", process_, static_cast<int>(call.arguments[0]));
    std::error_code error;
    return std::filesystem::read_symlink(link, error).native().starts_with("pipe:");
  }

  void interfere(pid_t thread, const SystemCall& call) {
    switch (fault_.deed) {
      case Deed::none: return;
      case Deed::kill: ::kill(process_, SIGKILL); return;
      case Deed::kill_after: pending_[thread] = {.kills = true}; return;
      case Deed::shorten:
        set_count(thread, call.arguments[count_argument] / 2);
        pending_[thread] = {};
        return;
      case Deed::fail:
      case Deed::fail_on: fail(thread, call, fault_.error_number); return;
    }
  }

  void fail(pid_t thread, const SystemCall& call, int error_number) {
    if (!is_done_when_it_fails(call)) leave_out(thread);
    // A failed brk returns an address below the requested one.
    pending_[thread] = {.result = call.number == SYS_brk ? 0 : -error_number};
  }

  bool names_the_directory(const SystemCall& call) const {
    const int path = path_argument(call);
    if (path < 0) return false;
    return text_at(process_, call.arguments[static_cast<std::size_t>(path)])
        .starts_with(tracing_.directory);
  }

  struct Thread {
    int ordinal;
    std::int64_t watched_calls = 0;
  };

  pid_t process_;
  const Tracing& tracing_;
  Fault fault_;
  bool is_watching_ = false;
  bool is_over_ = false;
  std::map<pid_t, Thread> threads_;
  std::map<std::uint64_t, std::int64_t> turns_;  // by number
  std::map<pid_t, Pending> pending_;
  TracedResult result_;
};

}  // namespace

std::optional<TracedResult> traced_run(const Tracing& tracing, const Fault& fault) {
  if (!can_interfere) return std::nullopt;
  const Captured out;
  const Captured err;
  const pid_t process = ::fork();
  if (process == 0) become(tracing, out.descriptor(), err.descriptor());
  int status = 0;
  ::waitpid(process, &status, 0);
  if (!WIFSTOPPED(status)) return std::nullopt;
  constexpr long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
  ::ptrace(PTRACE_SETOPTIONS, process, nullptr, options);
  ::ptrace(PTRACE_SYSCALL, process, nullptr, nullptr);
  TracedResult result = Tracer(process, tracing, fault).run();
  result.out = out.text();
  result.err = err.text();
  return result;
}

}  // namespace tscatter::faults
