// FileSystem: the system calls that write files, so that tests can play the disk: crash in the
// middle of a run, lose what was not synced, fail. Each function returns what its system call
// returns, and sets errno as it does; open, fsync, flock, fallocate, truncate and list are repeated
// after EINTR. An implementation that is called from several threads must be safe for that.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tscatter {

// Identifies a file for as long as it exists: stays the same when the system restarts and renumbers
// its devices; differs for a copy and for a new file of the same name.
struct FileIdentity {
  std::uint64_t inode = 0;
  std::int64_t birth_seconds = 0;  // 0 where the file system does not keep it
  std::uint32_t birth_nanoseconds = 0;
  std::int64_t size = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

inline bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual int open(const std::filesystem::path& path, int flags, mode_t mode) = 0;
  // Opens a file without a name in the directory. Fails with EOPNOTSUPP where that does not exist,
  // or where link() could not give it a name.
  virtual int open_unnamed(const std::filesystem::path& directory, mode_t mode) = 0;
  virtual int link(int descriptor, const std::filesystem::path& path) = 0;
  virtual int duplicate(int descriptor) = 0;
  virtual int close(int descriptor) = 0;
  virtual ssize_t pread(int descriptor, std::span<std::byte> into, std::int64_t offset) = 0;
  virtual ssize_t pwrite(int descriptor, std::span<const std::byte> bytes, std::int64_t offset) = 0;
  virtual ssize_t read(int descriptor, std::span<std::byte> into) = 0;
  virtual ssize_t write(int descriptor, std::span<const std::byte> bytes) = 0;
  virtual int fsync(int descriptor) = 0;
  virtual int fstat(int descriptor, struct stat& status) = 0;
  virtual int stat(const std::filesystem::path& path, struct stat& status) = 0;
  virtual int access(const std::filesystem::path& path, int mode) = 0;
  virtual int lstat(const std::filesystem::path& path, struct stat& status) = 0;
  virtual int flock(int descriptor, int operation) = 0;
  // F_OFD_SETLK: a lock of all bytes, F_RDLCK or F_WRLCK, which other machines see on file systems
  // where flock is the machine's own.
  virtual int lock_bytes(int descriptor, short type) = 0;
  virtual int fallocate(int descriptor, int mode, std::int64_t begin, std::int64_t size) = 0;
  // Begins to put what was written there on the disk, and does not wait for it.
  virtual int sync_file_range(int descriptor, std::int64_t begin, std::int64_t size) = 0;
  virtual int truncate(int descriptor, std::int64_t size) = 0;
  virtual std::int64_t free_space(int descriptor) = 0;  // bytes that the user may take; -1: unknown
  virtual int fchown(int descriptor, uid_t user, gid_t group) = 0;
  virtual int fchmod(int descriptor, mode_t mode) = 0;
  virtual int rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  virtual int unlink(const std::filesystem::path& path) = 0;
  virtual int make_directory(const std::filesystem::path& path, mode_t mode) = 0;
  virtual int remove_directory(const std::filesystem::path& path) = 0;
  // Adds the names in the directory, without "." and "..", in any order.
  virtual int list(const std::filesystem::path& directory, std::vector<std::string>& names) = 0;

  // Makes the file share the other's bytes.
  virtual int clone(int descriptor, int from) = 0;

  virtual int identify(int descriptor, FileIdentity& identity) = 0;

  // Whether descriptors are the system's own, so that they can be mapped, for example.
  virtual bool is_system() const { return false; }
};

// The system's own.
FileSystem& system_files();

}  // namespace tscatter
