// The environment variables that the program reads; the library reads none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tscatter::app {

std::filesystem::path temporary_directory();  // TMPDIR, or /tmp

// Selects the kernel path that TSCATTER_KERNELS names. Throws Error (usage, cli.c13).
void choose_kernels();

// The variable's value; nullopt if it is unset or empty.
std::optional<std::string> variable(const char* name);

// A step of a workflow of GitHub Actions.
struct GithubStep {
  std::optional<std::filesystem::path> workspace;  // what the paths of annotations are relative to
  std::optional<std::filesystem::path> summary;    // the file that a summary is appended to
};

// nullopt unless GITHUB_ACTIONS is true.
std::optional<GithubStep> github_step();

// Whether text on a stream is coloured: `choice` is auto, always or never; NO_COLOR and TERM=dumb
// are respected.
bool wants_color(std::string_view choice, int descriptor);

// The columns of the terminal on stdout, at least 40; 80 if stdout is not a terminal.
std::size_t terminal_width();

// When a report is made, in UTC: "2026-11-22 13:05 UTC". SOURCE_DATE_EPOCH takes the place of the
// clock. Throws Error (usage, cli.c49).
std::string report_date();

// The directory for what is remembered between runs; nullopt if the environment names none.
std::optional<std::filesystem::path> state_directory();

// "-" for the system's own names of stdin and stdout, "/dev/stdout"; any other word as it is.
std::string stream_or_path(std::string word);

// How much memory there is for this process. The memory of the machine, of the process's cgroup
// (version 1 or 2) or of one above it, whichever is least; in bytes. `root`: where /proc and /sys
// are, for tests.
std::int64_t machine_memory(const std::filesystem::path& root = "/");

}  // namespace tscatter::app
