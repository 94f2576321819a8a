// Runs the program under ptrace and tampers with one of its system calls: kills the program there,
// or lets the call fail.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "faults/system_calls.hpp"

namespace tscatter::faults {

using Strings = std::vector<std::string>;

enum class Deed : std::uint8_t {
  none,
  kill,        // as SIGKILL at the call's entry would
  kill_after,  // or at its exit
  fail,
  fail_on,  // and every later call that changes files and has this error too
  shorten,  // fewer bytes than were asked for
};

struct Fault {
  std::int64_t call = -1;    // its place among the watched calls of its thread
  int thread = 0;            // 0: the first
  std::uint64_t number = 0;  // which call is expected there; 0: any
  std::int64_t turn = -1;    // if given, instead of thread and place
  Deed deed = Deed::none;
  int error_number = 0;
};

struct Tracing {
  Strings words;                         // the program's path and its arguments
  std::string directory;                 // calls are watched from the first that names it on
  std::vector<std::string> environment;  // "NAME=value"
  bool knows_unnamed_files = true;       // if not, O_TMPFILE fails as on old file systems
};

struct TracedResult {
  int exit_code = -1;  // -1: it died by a signal
  int signal = 0;
  bool was_met = false;           // the call at which something was to be done
  std::vector<SystemCall> calls;  // that were watched, of all threads
  std::string out;
  std::string err;
};

// nullopt if the system does not allow tracing, or if it is not implemented for the processor.
std::optional<TracedResult> traced_run(const Tracing& tracing, const Fault& fault = {});

}  // namespace tscatter::faults
