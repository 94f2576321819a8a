// Where a file's name leads, and the directory that holds it.
#pragma once

#include <filesystem>
#include <string>

#include "tscatter/io/files/file_system.hpp"

namespace tscatter {

// Follows symbolic links, even if the last one points to nothing yet. `name` is used in messages.
// Throws Error (file.f4) for a loop, and if it cannot find out whether there is a link.
std::filesystem::path follow_links(std::filesystem::path path, const std::string& name);

// The directory that holds `path`: "." if it names none.
std::filesystem::path directory_of(const std::filesystem::path& path);

// Flushes the names in the directory of `path` to the disk. Returns whether it could; if not, errno
// says why.
bool sync_directory_of(const std::filesystem::path& path, FileSystem& files);

}  // namespace tscatter
