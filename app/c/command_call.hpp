// A command of the program, called with tensors in memory: its flags are read by the same table,
// and what it prints is kept.
#pragma once

#include <string>
#include <string_view>

#include "c/tscatter.h"
#include "cli/command.hpp"
#include "jobs/array.hpp"

namespace tscatter::app {

struct Answer {
  int code = 0;  // 0, or 1 if a difference was found
  std::string text;
};

// The operation of that name. Throws Error (usage, cli.c1).
const Operation& operation_called(const char* name);

// `make`: if set, it gives the memory of the result, and the request has no output. Throws Error
// and Cancelled.
Answer call(const Command& command, const Operation* operation, const tsc_request& request,
            const MakeMemory& make = {});

// That the caller's function gives. Throws std::bad_alloc where it gives none.
MakeMemory memory_from(tsc_alloc* alloc, void* context);

// Throws Error (usage, cli.c3) if the result would be printed: it has no other place.
void require_place_of_result(const Command& command, const tsc_request& request);

// What the library for C says of itself and of the operations, as JSON: languages make their
// functions from it. One object in a line, with its line end. Keys: docs/c.md.
std::string description();

// An array in a line: what each flag of the command is called and takes.
std::string flags_text(const Command& command, const Operation* operation);

// A tsc_tensor as an Array. Throws Error (usage; tensor.t1, array.a1, array.a2, array.a6).
Array array_of(const tsc_tensor& tensor);

// False if there are no bytes.
bool is_same_memory(const Array& output, const Array& operand);

// Throws Error (usage, array.a4) if the output overlaps the operand of that name.
void require_apart(const Array& output, const Array& operand, std::string_view name);

}  // namespace tscatter::app
