#include "tscatter/io/files/path.hpp"

#include <fcntl.h>

#include <cerrno>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter {
namespace {

// What cannot be reached is reported when it is opened.
bool is_no_link(int error) {
  return error == EINVAL || error == ENOENT || error == ENOTDIR || error == EACCES ||
         error == ENAMETOOLONG;
}

}  // namespace

std::filesystem::path follow_links(std::filesystem::path path, const std::string& name) {
  constexpr int max_links = 40;
  for (int i = 0; i < max_links; ++i) {
    std::error_code error;
    const std::filesystem::path link = std::filesystem::read_symlink(path, error);
    if (error && is_no_link(error.value())) return path;
    // file.f4
    if (error) {
      fail(ErrorKind::file, "file.f4", name, "its links cannot be followed: {}",
           errno_text(error.value()));
    }
    path = path.parent_path() / link;
  }
  // file.f4
  fail(ErrorKind::file, "file.f4", name, "cannot be created: {}", errno_text(ELOOP));
}

std::filesystem::path directory_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

bool sync_directory_of(const std::filesystem::path& path, FileSystem& files) {
  const File directory(files.open(directory_of(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0),
                       path.native(), files);
  return directory.descriptor() >= 0 && files.fsync(directory.descriptor()) == 0;
}

}  // namespace tscatter
