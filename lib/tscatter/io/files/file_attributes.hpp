// What a file keeps of the one that it replaces: owner, mode, extended attributes, access control
// lists among them.
#pragma once

#include <filesystem>

#include "tscatter/io/files/file.hpp"

namespace tscatter {

// Copies user attributes, the access control list and, where allowed, the SELinux label from the
// file at `from`; removes a list that `to` inherited from its directory if `from` has none. Other
// attributes describe content (capabilities, signatures) or belong to the system. Throws Error
// (file.f4). REQUIRES: both are the system's files.
void keep_attributes(const std::filesystem::path& from, const File& to);

// Gives `to` the owner and group (where allowed), attributes and mode of the file at `from`, if
// there is one. If it cannot be given the group, it loses the group's permissions. Throws Error
// (file.f4). REQUIRES: `from` is in the file system of `to`, and not a symbolic link.
void keep_properties(const std::filesystem::path& from, const File& to);

}  // namespace tscatter
