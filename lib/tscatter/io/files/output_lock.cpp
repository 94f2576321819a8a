#include "tscatter/io/files/output_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>

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
  while (!try_lock(*opened)) patience.pause();
  return opened;
}

}  // namespace

OutputLock::OutputLock(const std::filesystem::path& target, const std::string& name, Replaced what,
                       const Waiting& waiting, FileSystem& files)
    : folder_{what == Replaced::archive ? locked_folder(target, name, waiting, files)
                                        : std::nullopt},
      file_{lock_if_there(target, name, files, waiting)} {}

}  // namespace tscatter
