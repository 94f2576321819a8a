#include "tscatter/io/files/directory_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>

#include "tscatter/io/files/path.hpp"

namespace tscatter {

DirectoryLock::DirectoryLock(const std::filesystem::path& file, const std::string& name,
                             const Waiting& waiting)
    : directory_{system_files().open(directory_of(file), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0),
                 file.native()} {
  if (directory_.descriptor() < 0) return;
  Patience patience(waiting, name, fmt::format("its folder, {}", directory_of(file).native()));
  while (::flock(directory_.descriptor(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return;
    patience.pause();
  }
}

}  // namespace tscatter
