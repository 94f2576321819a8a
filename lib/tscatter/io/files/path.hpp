// What a file's name leads to, and where it stands. Not part of the installed interface.
#pragma once

#include <filesystem>
#include <string>

#include "tscatter/io/files/file_system.hpp"

namespace tscatter {

// Follows symbolic links, also where the last one points to nothing yet. `name` stands in messages.
// Throws Error (file.f4) for a loop, and where it cannot be known whether there is a link.
std::filesystem::path follow_links(std::filesystem::path path, const std::string& name);

// The directory in which `path` is a name: "." where it has none.
std::filesystem::path directory_of(const std::filesystem::path& path);

// Brings the names in the directory of `path` to the disk. Returns whether it did; if not, errno
// says why.
bool sync_directory_of(const std::filesystem::path& path, FileSystem& files);

}  // namespace tscatter
