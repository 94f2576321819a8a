#include "tscatter/io/files/file_names.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <span>

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

namespace {

[[noreturn]] void refuse_foreign(const std::filesystem::path& path, std::string_view got) {
  // file.f11
  fail(ErrorKind::file, "file.f11", path.native(),
       "must be a regular file that tscatter has made (remove what has its name), got {}", got);
}

void require_regular(const std::filesystem::path& path, mode_t mode) {
  if (!S_ISREG(mode)) refuse_foreign(path, kind_words(mode));
}

}  // namespace

std::string_view kind_words(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return S_ISREG(mode) ? "a file" : "a device";
}

File open_unfollowed(const std::filesystem::path& path, int flags, FileSystem& files, mode_t mode) {
  constexpr int careful = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  return {files.open(path, flags | careful, mode), path.native(), files};
}

// What is not a regular file is not even opened, which may mean something to a device; it may have
// come there since the look at it, so the open file is looked at again.
File open_own(const std::filesystem::path& path, int flags, FileSystem& files, mode_t mode) {
  require_own_place(path, files);
  File file = open_unfollowed(path, flags, files, mode);
  if (file.descriptor() < 0 && errno == ELOOP) refuse_foreign(path, kind_words(S_IFLNK));
  if (file.descriptor() < 0) return file;
  const struct stat status = file.status();
  require_regular(path, status.st_mode);
  const bool is_written = (flags & O_ACCMODE) != O_RDONLY;
  if (is_written && status.st_nlink > 1)
    refuse_foreign(path, fmt::format("one with {} names", status.st_nlink));
  return file;
}

std::optional<std::string> own_text(const std::filesystem::path& path, std::int64_t most,
                                    FileSystem& files) {
  const File file = open_own(path, O_RDONLY, files);
  if (file.descriptor() < 0 && errno == ENOENT) return std::nullopt;
  // file.f1
  if (file.descriptor() < 0) {
    fail(ErrorKind::file, "file.f1", path.native(), "cannot be opened: {}", errno_text(errno));
  }
  const std::int64_t size = file.status().st_size;
  if (size > most) refuse_foreign(path, fmt::format("one of {} bytes", size));
  std::string text(static_cast<std::size_t>(size), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

void require_own_place(const std::filesystem::path& path, FileSystem& files) {
  struct stat status {};
  if (files.lstat(path, status) == 0) require_regular(path, status.st_mode);
}

}  // namespace tscatter
