// How much memory there is for this process.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tscatter::app {

// The memory of the machine, of the process's cgroup (version 1 or 2) or of one above it, whichever
// is least; in bytes. `root`: where /proc and /sys are, for tests.
std::int64_t machine_memory(const std::filesystem::path& root = "/");

}  // namespace tscatter::app
