// Which file a path leads to, whatever it is called.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace tscatter::app {

// Follows all links, also dangling ones. A file that does not exist is where it would be created.
std::filesystem::path resolved_file(const std::filesystem::path& path);

// Identifies the file that a path leads to, under any of its names: by inode or, if it does not
// exist, by directory and name. nullopt for devices and pipes, which keep nothing.
std::optional<std::uint64_t> identity_of(const std::filesystem::path& path);
std::uint64_t identity_of(const struct stat& status);

}  // namespace tscatter::app
