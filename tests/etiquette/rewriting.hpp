// What the tests of how files are rewritten share: files, and runs that are stopped at a system
// call.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/process.hpp"
#include "faults/traced_run.hpp"
#include "io/files.hpp"

namespace tscatter::etiquette {

namespace fs = std::filesystem;

using faults::Deed;
using faults::SystemCall;
using faults::TracedResult;
using faults::Tracing;

// A file that a .npy may replace.
inline constexpr std::string_view old_npy = "\x93NUMPY old";

// x.npy in a directory of its own.
struct OldFile {
  explicit OldFile(unsigned mode) {
    write_file(path, old_npy);
    fs::permissions(path, fs::perms{mode});
  }

  TemporaryDirectory directory;
  fs::path path = directory / "x.npy";
};

std::string bytes_npy(std::size_t count, char value);

// x.npy of three bytes becomes one of `updates`.
Strings in_place(const std::string& data, const std::string& updates, Strings more = {});

struct stat status_of(const fs::path& path);

// "none" if there is no file.
std::string content_of(const fs::path& path);

// Runs a command line in the shell; both streams are captured as one.
Result shell(const std::string& line);

Tracing tracing_of(const TemporaryDirectory& directory, const Strings& words);

// The first call of the first name, then the first of the second name after it, and so on.
const SystemCall& call_in(const TracedResult& whole, const Strings& names);

faults::Fault fault_at(const SystemCall& call, Deed deed, int error_number = 0);

// A run that replaces x.npy and is killed at a call. nullopt where nothing may be traced.
std::optional<TracedResult> killed_at(const TemporaryDirectory& directory, const Strings& names,
                                      bool knows_unnamed_files);

}  // namespace tscatter::etiquette
