#include "tscatter/io/files/file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "tscatter/core/checked.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

constexpr std::array file_rule_rows{
    Rule{"file.f1", "an input can be opened"},
    Rule{"file.f2", "an input is a file, a pipe or a device, not a directory"},
    Rule{"file.f3", "an input can be read, and keeps its size while it is read"},
    Rule{"file.f4",
         "an output can be created in its directory, and an existing one may be written to"},
    Rule{"file.f5", "an output can be written to its end, and there is space for it"},
    Rule{"file.f6", "a finished output can get its name"},
    Rule{"file.f7", "an output is a file, a pipe or a device, not a directory"},
    Rule{"file.f8", "a file that is changed in place is not being changed by another tscatter"},
    Rule{"file.f9", "a lock that another process holds is released within the time of --wait"},
    Rule{"file.f10", "a file that is changed in place holds the elements in one piece"},
    Rule{"file.f11",
         "a file whose name tscatter chooses is a regular file, no link, and no longer than "
         "tscatter makes it; one that it goes on writing has one name"},
};

[[noreturn]] void fail_to_read(const std::string& name) {
  // file.f3
  fail(ErrorKind::file, "file.f3", name, "cannot be read: {}", errno_text(errno));
}

[[noreturn]] void fail_to_write(const std::string& name) {
  // file.f5
  fail(ErrorKind::file, "file.f5", name, "cannot be written to its end: {}", errno_text(errno));
}

}  // namespace

const std::span<const Rule> file_rules = file_rule_rows;

std::string errno_text(int error_number) {
  std::string text = std::generic_category().message(error_number);
  const bool is_word = text.size() > 1 && text[1] >= 'a' && text[1] <= 'z';
  if (is_word && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

File File::open_for_reading(const std::filesystem::path& path, FileSystem& files, StopFlag stop) {
  const int waiting = stop == nullptr ? 0 : O_NONBLOCK;
  const int descriptor = files.open(path, O_RDONLY | O_CLOEXEC | waiting, 0);
  // file.f1
  if (descriptor < 0) {
    fail(ErrorKind::file, "file.f1", path.native(), "cannot be opened: {}", errno_text(errno));
  }
  File file(descriptor, path.native(), files);
  // file.f2
  if (S_ISDIR(file.status().st_mode)) {
    fail(ErrorKind::file, "file.f2", path.native(), "must be a file, got a directory");
  }
  if (!file.is_regular()) file.stop_ = stop;
  return file;
}

File File::open_for_writing(const std::filesystem::path& path, const std::string& name,
                            FileSystem& files, StopFlag stop) {
  constexpr std::chrono::milliseconds pause{10};
  const int waiting = stop == nullptr ? 0 : O_NONBLOCK;
  for (;;) {
    File file(files.open(path, O_WRONLY | O_CLOEXEC | waiting, 0), name, files);
    file.stop_ = stop;
    const bool has_no_reader = file.descriptor_ < 0 && errno == ENXIO && stop != nullptr;
    if (!has_no_reader) return file;
    if (*stop) throw Cancelled();
    std::this_thread::sleep_for(pause);
  }
}

File::File(File&& other) noexcept
    : files_{other.files_},
      descriptor_{std::exchange(other.descriptor_, -1)},
      name_{std::move(other.name_)},
      stop_{other.stop_} {}

File::~File() {
  if (descriptor_ >= 0) files_->close(descriptor_);
}

struct stat File::status() const {
  struct stat status {};
  if (files_->fstat(descriptor_, status) != 0) fail_to_read(name_);
  return status;
}

void File::read_at(std::int64_t offset, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t got = files_->pread(descriptor_, into, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_to_read(name_);
    // file.f3
    if (got == 0) {
      fail(ErrorKind::file, "file.f3", name_, "changed while it was read: it ends at byte {}",
           offset);
    }
    offset += got;
    into = into.subspan(static_cast<std::size_t>(got));
  }
}

bool File::is_readable_within(int milliseconds) const {
  struct pollfd wanted {
    .fd = descriptor_, .events = POLLIN, .revents = 0
  };
  return ::poll(&wanted, 1, milliseconds) > 0;
}

void File::wait_for(short event) const {
  // Short, since a signal that another thread handles does not end the poll.
  constexpr int slice = 20;  // milliseconds
  if (stop_ == nullptr) return;
  struct pollfd wanted {
    .fd = descriptor_, .events = event, .revents = 0
  };
  while (::poll(&wanted, 1, slice) <= 0) {
    if (*stop_) throw Cancelled();
  }
}

bool File::is_worth_repeating(int error, short event) const {
  const bool is_early = error == EAGAIN && stop_ != nullptr;
  if (is_early) wait_for(event);
  return is_early || error == EINTR;
}

std::size_t File::read_available(std::span<std::byte> into) const {
  ssize_t got = 0;
  wait_for(POLLIN);
  do {
    got = files_->read(descriptor_, into);
  } while (got < 0 && is_worth_repeating(errno, POLLIN));
  if (got < 0) fail_to_read(name_);
  return static_cast<std::size_t>(got);
}

std::size_t File::read_some(std::span<std::byte> into) const {
  std::size_t total = 0;
  while (total < into.size()) {
    wait_for(POLLIN);  // a pipe without a writer yet looks like one at its end
    const ssize_t got = files_->read(descriptor_, into.subspan(total));
    if (got < 0 && is_worth_repeating(errno, POLLIN)) continue;
    if (got < 0) fail_to_read(name_);
    if (got == 0) break;
    total += static_cast<std::size_t>(got);
  }
  return total;
}

void File::write_at(std::int64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t put = files_->pwrite(descriptor_, bytes, offset);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_to_write(name_);
    offset += put;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void File::write_on(std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t put = files_->write(descriptor_, bytes);
    if (put < 0 && is_worth_repeating(errno, POLLOUT)) continue;
    if (put < 0) fail_to_write(name_);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void File::sync() const {
  // file.f5
  if (files_->fsync(descriptor_) != 0)
    fail(ErrorKind::file, "file.f5", name_, "cannot be flushed to disk: {}", errno_text(errno));
}

void File::flush() const {
  const int copy = files_->duplicate(descriptor_);
  if (copy < 0 || (files_->close(copy) != 0 && errno != EINTR)) fail_to_write(name_);
}

void File::close() {
  if (files_->close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail_to_write(name_);
}

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
  int touch(int descriptor) override { return ::futimens(descriptor, nullptr); }
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
