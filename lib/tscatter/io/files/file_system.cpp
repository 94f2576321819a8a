#include "tscatter/io/files/file_system.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>

#include "tscatter/core/checked.hpp"

namespace tscatter {
namespace {

DIR* opened(const std::filesystem::path& directory) {
  DIR* open = ::opendir(directory.c_str());
  while (open == nullptr && errno == EINTR) open = ::opendir(directory.c_str());
  return open;
}

// Repeats the call until no signal interrupts it.
template <class Call>
int again(const Call& call) {
  int result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

class SystemFiles final : public FileSystem {
 public:
  int open(const std::filesystem::path& path, int flags, mode_t mode) override {
    return again([&] { return ::open(path.c_str(), flags, mode); });
  }
  int open_unnamed(const std::filesystem::path& directory, mode_t mode) override {
    if (::access("/proc/self/fd", X_OK) == 0)
      return open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    errno = EOPNOTSUPP;
    return -1;
  }
  int link(int descriptor, const std::filesystem::path& path) override {
    const std::string own = "/proc/self/fd/" + std::to_string(descriptor);
    return ::linkat(AT_FDCWD, own.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW);
  }
  int duplicate(int descriptor) override { return ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0); }
  int close(int descriptor) override { return ::close(descriptor); }
  ssize_t pread(int descriptor, std::span<std::byte> into, std::int64_t offset) override {
    return ::pread(descriptor, into.data(), into.size(), offset);
  }
  ssize_t pwrite(int descriptor, std::span<const std::byte> bytes, std::int64_t offset) override {
    return ::pwrite(descriptor, bytes.data(), bytes.size(), offset);
  }
  ssize_t read(int descriptor, std::span<std::byte> into) override {
    return ::read(descriptor, into.data(), into.size());
  }
  ssize_t write(int descriptor, std::span<const std::byte> bytes) override {
    return ::write(descriptor, bytes.data(), bytes.size());
  }
  int fsync(int descriptor) override {
    return again([&] { return ::fsync(descriptor); });
  }
  int fstat(int descriptor, struct stat& status) override { return ::fstat(descriptor, &status); }
  int stat(const std::filesystem::path& path, struct stat& status) override {
    return ::stat(path.c_str(), &status);
  }
  int access(const std::filesystem::path& path, int mode) override {
    return ::access(path.c_str(), mode);
  }
  int lstat(const std::filesystem::path& path, struct stat& status) override {
    return ::lstat(path.c_str(), &status);
  }
  int flock(int descriptor, int operation) override {
    return again([&] { return ::flock(descriptor, operation); });
  }
  int lock_bytes(int descriptor, short type) override {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return again([&] { return ::fcntl(descriptor, F_OFD_SETLK, &lock); });
  }
  int fallocate(int descriptor, int mode, std::int64_t begin, std::int64_t size) override {
    return again([&] { return ::fallocate(descriptor, mode, begin, size); });
  }
  int sync_file_range(int descriptor, std::int64_t begin, std::int64_t size) override {
    return ::sync_file_range(descriptor, begin, size, SYNC_FILE_RANGE_WRITE);
  }
  int truncate(int descriptor, std::int64_t size) override {
    return again([&] { return ::ftruncate(descriptor, size); });
  }
  std::int64_t free_space(int descriptor) override {
    struct statvfs status {};
    const bool tells = ::fstatvfs(descriptor, &status) == 0 && status.f_blocks > 0;
    if (!tells) return -1;
    // Root may also use the blocks that ext4 and others reserve.
    const auto blocks = ::geteuid() == 0 ? status.f_bfree : status.f_bavail;
    return checked_multiply(static_cast<std::int64_t>(blocks),
                            static_cast<std::int64_t>(status.f_frsize))
        .value_or(-1);
  }
  int fchown(int descriptor, uid_t user, gid_t group) override {
    return ::fchown(descriptor, user, group);
  }
  int fchmod(int descriptor, mode_t mode) override { return ::fchmod(descriptor, mode); }
  int rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    return ::rename(from.c_str(), to.c_str());
  }
  int unlink(const std::filesystem::path& path) override { return ::unlink(path.c_str()); }
  int make_directory(const std::filesystem::path& path, mode_t mode) override {
    return ::mkdir(path.c_str(), mode);
  }
  int remove_directory(const std::filesystem::path& path) override { return ::rmdir(path.c_str()); }
  int list(const std::filesystem::path& directory, std::vector<std::string>& names) override {
    DIR* const open = opened(directory);
    if (open == nullptr) return -1;
    const auto next = [open] {
      errno = 0;
      return ::readdir(open);
    };
    while (const dirent* entry = next()) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    const int error = errno;
    ::closedir(open);
    errno = error;
    return error == 0 ? 0 : -1;
  }
  int clone(int descriptor, int from) override { return ::ioctl(descriptor, FICLONE, from); }

  int identify(int descriptor, FileIdentity& identity) override {
    struct statx status {};
    constexpr unsigned wanted = STATX_INO | STATX_SIZE | STATX_BTIME;
    if (::statx(descriptor, "", AT_EMPTY_PATH, wanted, &status) != 0) return -1;
    identity = {.inode = status.stx_ino, .size = static_cast<std::int64_t>(status.stx_size)};
    if ((status.stx_mask & STATX_BTIME) != 0) {
      identity.birth_seconds = status.stx_btime.tv_sec;
      identity.birth_nanoseconds = status.stx_btime.tv_nsec;
    }
    return 0;
  }

  bool is_system() const override { return true; }
};

}  // namespace

FileSystem& system_files() {
  static SystemFiles files;
  return files;
}

}  // namespace tscatter
