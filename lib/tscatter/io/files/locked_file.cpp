#include "tscatter/io/files/locked_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <thread>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file_names.hpp"

namespace tscatter {
namespace {

[[noreturn]] void refuse_unopened(const std::string& name) {
  // file.f1
  fail(ErrorKind::file, "file.f1", name, "cannot be opened: {}", errno_text(errno));
}

[[noreturn]] void refuse_irregular(const std::string& name) {
  // file.f4
  fail(ErrorKind::file, "file.f4", name,
       "a file that is changed in place must be a regular file, got a pipe or device");
}

// What is wrong with the file as an input is reported first, as for any input.
void require_regular(const std::filesystem::path& target, const std::string& name,
                     FileSystem& files) {
  struct stat status {};
  if (files.stat(target, status) != 0 || files.access(target, R_OK) != 0) refuse_unopened(name);
  // file.f2
  if (S_ISDIR(status.st_mode))
    fail(ErrorKind::file, "file.f2", name, "must be a file, got a directory");
  if (!S_ISREG(status.st_mode)) refuse_irregular(name);
}

// Whether this is why a lock was refused. Where there are no locks at all, nobody is kept out; NFS
// has none of what is open to be read only (EBADF), as a folder.
bool is_taken(const File& file) {
  if (errno == EWOULDBLOCK || errno == EACCES) return true;
  const bool has_no_locks = errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS ||
                            errno == EINVAL || errno == EBADF;
  // file.f4
  if (!has_no_locks) {
    fail(ErrorKind::file, "file.f4", file.name(), "cannot be locked: {}", errno_text(errno));
  }
  return false;
}

// The lock of all bytes, however many the file has or gets, which machines share.
bool try_lock_bytes(const File& file, Sharing sharing) {
  const short type = sharing == Sharing::alone ? F_WRLCK : F_RDLCK;
  return file.files().lock_bytes(file.descriptor(), type) == 0 || !is_taken(file);
}

// The file that open() gives, once it is locked and `target` still names it; nullopt if it gives
// no regular one. open() also sets how the lock between machines is shared. When another process
// holds a lock, refused() waits or throws.
template <class Open, class Refused>
std::optional<File> locked_while_named(const Open& open, const Sharing& between_machines,
                                       const std::filesystem::path& target,
                                       const Refused& refused) {
  constexpr int most_tries = 100;  // for a file system that renumbers its files at every call
  for (int tries = 1;; ++tries) {
    std::optional<File> file = open();
    if (!file || !file->is_regular()) return std::nullopt;
    const bool is_locked = try_lock(*file) && try_lock_bytes(*file, between_machines);
    if (is_locked && (is_named(*file, target) || tries == most_tries)) return file;
    if (is_locked) continue;
    refused();
    tries = 0;
  }
}

File open_unlocked(const std::filesystem::path& target, const std::string& name, FileSystem& files,
                   Access access) {
  require_regular(target, name, files);
  const int mode = access == Access::writing ? O_RDWR : O_RDONLY;
  File file(files.open(target, mode | O_NOFOLLOW | O_CLOEXEC, 0), name, files);
  if (file.descriptor() < 0 && access == Access::reading) refuse_unopened(name);
  // file.f4
  if (file.descriptor() < 0) {
    fail(ErrorKind::file, "file.f4", name, "may not be written to: {}", errno_text(errno));
  }
  return file;
}

}  // namespace

File open_locked(const std::filesystem::path& target, const std::string& name, FileSystem& files,
                 Access access, const std::optional<Waiting>& waiting) {
  Patience patience(waiting.value_or(Waiting()), name, "it");
  const Sharing sharing = access == Access::writing ? Sharing::alone : Sharing::shared;
  const auto open = [&] { return std::optional(open_unlocked(target, name, files, access)); };
  auto file = locked_while_named(open, sharing, target, [&] {
    // file.f8
    if (!waiting) {
      fail(ErrorKind::file, "file.f8", name,
           "is being changed by another tscatter (--wait SECONDS waits for it)");
    }
    patience.pause();
  });
  if (!file) refuse_irregular(name);  // another took its name meanwhile
  return *std::move(file);
}

std::optional<File> open_if_allowed(const std::filesystem::path& path, int flags,
                                    const std::string& name, FileSystem& files) {
  File file(files.open(path, flags, 0), name, files);
  if (file.descriptor() >= 0) return file;
  const bool is_absent = errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENXIO ||
                         errno == ENAMETOOLONG || errno == EISDIR;
  const bool is_forbidden = errno == EACCES || errno == EPERM || errno == EROFS || errno == ETXTBSY;
  // file.f4
  if (!is_absent && !is_forbidden) {
    fail(ErrorKind::file, "file.f4", name, "cannot be locked: {}", errno_text(errno));
  }
  return std::nullopt;
}

std::optional<File> lock_if_there(const std::filesystem::path& target, const std::string& name,
                                  FileSystem& files, const Waiting& waiting) {
  // O_NONBLOCK: must not wait for a pipe that somebody put there.
  constexpr int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  Patience patience(waiting, name, "it");
  Sharing sharing = Sharing::alone;
  const auto open = [&] {
    auto file = open_if_allowed(target, O_RDWR | flags, name, files);
    sharing = file ? Sharing::alone : Sharing::shared;
    return file ? std::move(file) : open_if_allowed(target, O_RDONLY | flags, name, files);
  };
  return locked_while_named(open, sharing, target, [&] { patience.pause(); });
}

bool is_named(const File& file, const std::filesystem::path& target) {
  struct stat named {};
  if (file.files().lstat(target, named) != 0) return false;
  return is_same_file(named, file.status());
}

bool try_lock(const File& file, Sharing sharing) {
  const int operation = sharing == Sharing::alone ? LOCK_EX : LOCK_SH;
  return file.files().flock(file.descriptor(), operation | LOCK_NB) == 0 || !is_taken(file);
}

bool try_both_locks(const File& file, Sharing sharing) {
  return try_lock(file, sharing) && try_lock_bytes(file, sharing);
}

bool is_locked_by_another(const File& file, Access access) {
  const bool reads = access == Access::reading;
  const int operation = reads ? LOCK_SH : LOCK_EX;
  const short type = reads ? F_RDLCK : F_WRLCK;
  const auto is_refused = [] { return errno == EWOULDBLOCK || errno == EACCES; };
  FileSystem& files = file.files();
  return (files.flock(file.descriptor(), operation | LOCK_NB) != 0 && is_refused()) ||
         (files.lock_bytes(file.descriptor(), type) != 0 && is_refused());
}

Patience::Patience(Waiting waiting, std::string name, std::string what)
    : waiting_{std::move(waiting)}, name_{std::move(name)}, what_{std::move(what)} {}

Patience::~Patience() {
  if (!has_paused_ || !waiting_.log) return;
  waiting_.log(fmt::format("{}: waited {:.6f} s for another process that had locked {}", name_,
                           clock_.seconds(), what_));
}

void Patience::pause() {
  constexpr std::chrono::milliseconds length{10};
  constexpr std::chrono::seconds silence{1};
  has_paused_ = true;
  const std::chrono::duration<double> waited(clock_.seconds());
  check_stop(waiting_.stop);
  // file.f9
  if (waiting_.at_most && waited >= *waiting_.at_most) {
    fail(ErrorKind::file, "file.f9", name_,
         "is still locked after {} s (--wait): another process holds {}", waiting_.at_most->count(),
         what_);
  }
  if (waiting_.tell && !is_told_ && waited >= silence) {
    is_told_ = true;
    waiting_.tell(fmt::format("{}: waiting for another process, which holds {}", name_, what_));
  }
  std::this_thread::sleep_for(length);
}

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
