#include "faults/fault_list.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "property/environment.hpp"

namespace tscatter::faults {
namespace {

// The sanitizers' own calls for memory are among the program's, and end it if they fail.
bool may_fail(const SystemCall& call) { return !(property::is_slowed && is_about_memory(call)); }

Fault fault_at(const SystemCall& call, Deed deed, int error_number = 0) {
  return {.call = call.place,
          .thread = call.thread,
          .number = call.number,
          .deed = deed,
          .error_number = error_number};
}

}  // namespace

std::string text_of(const Fault& fault, const SystemCall& call) {
  static const std::map<Deed, std::string> deeds{{Deed::kill, "killed at its entry"},
                                                 {Deed::kill_after, "killed at its exit"},
                                                 {Deed::fail, "fails"},
                                                 {Deed::fail_on, "and all from there on fail"},
                                                 {Deed::shorten, "moves half of it"}};
  std::string text =
      fmt::format("call {}{}, {}: {}", fault.call,
                  fault.thread == 0 ? "" : fmt::format(" of thread {}", fault.thread),
                  name_of(call), deeds.at(fault.deed));
  if (fault.error_number != 0) text += fmt::format(" with {}", std::strerror(fault.error_number));
  return text;
}

std::vector<Fault> faults_at(const SystemCall& call) {
  std::vector<Fault> faults;
  if (is_write_like(call)) faults = {fault_at(call, Deed::kill), fault_at(call, Deed::kill_after)};
  if (!may_fail(call)) return faults;
  for (const int error : errors_of(call)) {
    faults.push_back(fault_at(call, Deed::fail, error));
    const bool may_persist = error == ENOSPC || error == EIO;
    if (may_persist && is_write_like(call)) faults.push_back(fault_at(call, Deed::fail_on, error));
  }
  if (may_be_short(call)) faults.push_back(fault_at(call, Deed::shorten));
  return faults;
}

}  // namespace tscatter::faults
