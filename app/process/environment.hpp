// The environment variables that the program reads; the library reads none.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tscatter::app {

std::filesystem::path temporary_directory();  // TMPDIR, or /tmp

// Makes the kernels take the path that TSCATTER_KERNELS names. Throws Error (usage, cli.c13).
void choose_kernels();

// What the environment says; nullopt where it is not set, or empty.
std::optional<std::string> variable(const char* name);

// Whether text on stdout is coloured: `choice` is auto, always or never; NO_COLOR and TERM=dumb are
// respected.
bool wants_color(std::string_view choice);

// Columns of the terminal that stdout is, 40 at least; 80 where it is none.
std::size_t terminal_width();

// Where what is remembered between runs is kept; nullopt where the environment names no place.
std::optional<std::filesystem::path> state_directory();

}  // namespace tscatter::app
