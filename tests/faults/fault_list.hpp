// What can go wrong with a system call: each way is one fault.
#pragma once

#include <string>
#include <vector>

#include "faults/traced_run.hpp"

namespace tscatter::faults {

// Kills, if it changes a file; its errors, and those that last; fewer bytes than were asked for.
std::vector<Fault> faults_at(const SystemCall& call);

// "call 7, pwrite64: fails with Input/output error"
std::string text_of(const Fault& fault, const SystemCall& call);

inline bool kills(const Fault& fault) {
  return fault.deed == Deed::kill || fault.deed == Deed::kill_after;
}

}  // namespace tscatter::faults
