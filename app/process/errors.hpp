// How an error reaches the user: its text, its JSON, its exit code.
#pragma once

#include <string>
#include <string_view>

#include "tscatter/core/error.hpp"

namespace tscatter::app {

enum class ErrorForm : bool { text, json };

int exit_code(ErrorKind kind);

// The exit code of a run that has done its work, which stays, but could not report it.
inline constexpr int done_but_unreported = 6;

// The messages of memory.m1 and, about what was thrown, of internal.i1.
inline constexpr const char* out_of_memory =
    "out of memory (a run needs 64 MiB and 32 bytes per index entry; see --memory)";
std::string internal_error(std::string_view what);

// One line with its line break: "tscatter: weights.npy: data ends after 96 of 128 bytes [npy.f7]".
std::string error_line(const Error& error, ErrorForm form);

// What does not fail the run: "tscatter: warning: gold.jsonl: no case refers to these goldens: …".
std::string warning_line(std::string_view text);

}  // namespace tscatter::app
