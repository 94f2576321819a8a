// The extended attributes of files, access control lists among them. Not part of the installed
// interface.
#pragma once

#include <filesystem>

#include "tscatter/io/files/file.hpp"

namespace tscatter {

// Copies user attributes, the access control list and, where allowed, the SELinux label from the
// file at `from`; removes a list that `to` inherited from its directory if `from` has none. Other
// attributes describe content (capabilities, signatures) or belong to the system. Throws Error
// (file.f4). REQUIRES: both are the system's files.
void keep_attributes(const std::filesystem::path& from, const File& to);

}  // namespace tscatter
