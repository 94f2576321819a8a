// The extended attributes of files, access control lists among them. Not part of the installed
// interface.
#pragma once

#include <filesystem>

#include "tscatter/io/files/file.hpp"

namespace tscatter {

// Gives `to` the attributes of the user and the access control list that the file at `from` has, or
// takes away one that it has from its directory, and its SELinux label where that is allowed.
// Others are about content (capabilities, signatures) or the system's own. Throws Error (file.f4).
// REQUIRES: both are the system's.
void keep_attributes(const std::filesystem::path& from, const File& to);

}  // namespace tscatter
