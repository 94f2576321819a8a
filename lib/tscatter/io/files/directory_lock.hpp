// DirectoryLock: keeps other processes that ask for it out of a directory's archives. The directory
// and not the archive is locked, since the archive is replaced, or may not be there yet. Not part
// of the installed interface.
#pragma once

#include <atomic>
#include <filesystem>

#include "tscatter/io/files/file.hpp"

namespace tscatter {

class DirectoryLock {
 public:
  // Locks the directory that `file` is in; waits until it is free. Ends with Cancelled when *stop
  // becomes true. Where the file system cannot lock a directory, or it may not be read, nothing is
  // locked.
  DirectoryLock(const std::filesystem::path& file, const std::atomic<bool>* stop);

 private:
  File directory_;  // closing it unlocks
};

}  // namespace tscatter
