// Runs the program under ptrace and kills it at a system call that is asked for, as SIGKILL at that
// very moment would.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tscatter::crash {

enum class Moment : bool { before, after };  // of the call

struct KillPoint {
  std::int64_t call = -1;  // the number of the call among those that change files; -1: none
  Moment moment = Moment::before;
};

struct TracedResult {
  bool was_killed = false;
  int exit_code = -1;
  std::int64_t calls = 0;  // that change files: writes, syncs, changes of names, sizes and modes
};

// `words`: the program's path and its arguments. Its output goes to /dev/null. nullopt where the
// system allows no tracing.
std::optional<TracedResult> traced_run(const std::vector<std::string>& words, KillPoint kill);

}  // namespace tscatter::crash
