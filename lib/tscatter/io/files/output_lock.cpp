#include "tscatter/io/files/output_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <utility>

#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/files/path.hpp"

namespace tscatter {
namespace {

std::optional<File> locked_folder(const std::filesystem::path& target, const std::string& name,
                                  const Waiting& waiting, FileSystem& files) {
  const std::filesystem::path folder = directory_of(target);
  std::optional<File> opened =
      open_if_allowed(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, name, files);
  if (!opened) return opened;
  Patience patience(waiting, name, fmt::format("its folder, {}", folder.native()));
  while (files.flock(opened->descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    patience.pause();
  return opened;
}

}  // namespace

OutputLock::OutputLock(const std::filesystem::path& target, const std::string& name, Replaced what,
                       const Waiting& waiting, FileSystem& files) {
  if (what == Replaced::archive) {
    auto folder = locked_folder(target, name, waiting, files);
    if (folder) folder_.emplace(*std::move(folder));
  }
  auto file = lock_if_there(target, name, files, waiting);
  if (file) file_.emplace(*std::move(file));
}

}  // namespace tscatter
