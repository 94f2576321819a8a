// A command of the program, called with tensors in memory: its flags are read by the same table,
// and what it prints is kept.
#pragma once

#include <string>

#include "c/tscatter.h"
#include "cli/command.hpp"

namespace tscatter::app {

struct Answer {
  int code = 0;  // 0, or 1 if a difference was found
  std::string text;
};

// The operation of that name. Throws Error (usage, cli.c1).
const Operation& operation_called(const char* name);

// Throws Error and Cancelled.
Answer call(const Command& command, const Operation* operation, const tsc_request& request);

// Throws Error (usage, cli.c3) if the result would be printed: it has no other place.
void require_place_of_result(const Operation& operation, const tsc_request& request);

}  // namespace tscatter::app
