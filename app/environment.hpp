// The environment variables that the program reads; the library reads none.
#pragma once

#include <filesystem>

namespace tscatter::app {

std::filesystem::path temporary_directory();  // TMPDIR, or /tmp

}  // namespace tscatter::app
