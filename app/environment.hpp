// The environment variables that the program reads; the library reads none.
#pragma once

#include <filesystem>

namespace tscatter::app {

std::filesystem::path temporary_directory();  // TMPDIR, or /tmp

// Makes the kernels take the path that TSCATTER_KERNELS names. Throws Error (usage, cli.c13).
void choose_kernels();

}  // namespace tscatter::app
