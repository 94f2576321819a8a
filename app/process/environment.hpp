// The environment variables that the program reads; the library reads none.
#pragma once

#include <cstddef>
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

// Whether text on stdout is coloured: `choice` is auto, always or never; NO_COLOR and TERM=dumb are
// respected.
bool wants_color(std::string_view choice);

// The columns of the terminal on stdout, at least 40; 80 if stdout is not a terminal.
std::size_t terminal_width();

// The directory for what is remembered between runs; nullopt if the environment names none.
std::optional<std::filesystem::path> state_directory();

}  // namespace tscatter::app
