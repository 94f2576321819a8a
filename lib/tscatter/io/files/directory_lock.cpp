#include "tscatter/io/files/directory_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace tscatter {
namespace {

int opened_directory_of(const std::filesystem::path& file) {
  const std::filesystem::path directory = file.has_parent_path() ? file.parent_path() : ".";
  return system_files().open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
}

}  // namespace

DirectoryLock::DirectoryLock(const std::filesystem::path& file, const std::atomic<bool>* stop)
    : directory_{opened_directory_of(file), file.native()} {
  constexpr std::chrono::milliseconds pause{10};
  if (directory_.descriptor() < 0) return;
  while (::flock(directory_.descriptor(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return;
    if (stop != nullptr && *stop) throw Cancelled();
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace tscatter
