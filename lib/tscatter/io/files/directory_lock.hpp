// DirectoryLock: keeps other processes that also take the lock out of a directory's archives. It
// locks the directory rather than the archive, which is replaced or does not exist yet. Not part of
// the installed interface.
#pragma once

#include <filesystem>
#include <string>

#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/waiting.hpp"

namespace tscatter {

class DirectoryLock {
 public:
  // Waits for the lock of the directory that holds `file`, and takes it. `name` is the file's in
  // messages. Throws Cancelled and Error (file, file.f9) as Patience does. Locks nothing if the
  // directory is unreadable or the file system cannot lock one.
  DirectoryLock(const std::filesystem::path& file, const std::string& name, const Waiting& waiting);

 private:
  File directory_;  // closing it unlocks
};

}  // namespace tscatter
