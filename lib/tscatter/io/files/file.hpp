// Files that are open, and the system calls behind them.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"

namespace tscatter {

// ---- FileSystem: the system calls that write files, so that tests can play the disk: crash in the
// middle of a run, lose what was not synced, fail. Each function returns what its system call
// returns, and sets errno as it does; open, fsync, flock, fallocate, truncate and list are repeated
// after EINTR. An implementation that is called from several threads must be safe for that.

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
  virtual int touch(int descriptor) = 0;  // sets its times to now
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

// ---- File: an open file descriptor with a name for messages. A system call that fails for a
// reason outside the program throws an Error here. Rules: docs/errors.md, file.*

class File {
 public:
  // Throws Error (file.f1) when it cannot be opened, (file.f2) when it is a directory. A pipe is
  // waited for when it is read; that throws Cancelled when *stop becomes true.
  static File open_for_reading(const std::filesystem::path& path,
                               FileSystem& files = system_files(), StopFlag stop = nullptr);

  // Opens a pipe or device. Waiting for a reader, here and in write_on(), throws Cancelled when
  // *stop becomes true. If it cannot be opened, the descriptor is negative, and errno says why.
  static File open_for_writing(const std::filesystem::path& path, const std::string& name,
                               FileSystem& files, StopFlag stop);

  // Takes ownership of the descriptor.
  File(int descriptor, std::string name, FileSystem& files = system_files())
      : files_{&files}, descriptor_{descriptor}, name_{std::move(name)} {}
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  int descriptor() const { return descriptor_; }
  FileSystem& files() const { return *files_; }
  const std::string& name() const { return name_; }
  struct stat status() const;
  bool is_regular() const { return S_ISREG(status().st_mode); }

  // Fills `into` from byte `offset` on. Throws Error (file.f3) when the file ends too early or
  // cannot be read.
  void read_at(std::int64_t offset, std::span<std::byte> into) const;

  // Reads on from where the last read ended; fewer bytes than asked for only at the end.
  std::size_t read_some(std::span<std::byte> into) const;

  // Whether bytes, or the end of the file, arrive within so many milliseconds.
  bool is_readable_within(int milliseconds) const;

  // Reads what is available, at least one byte; returns 0 at the end. For pipes that deliver a line
  // at a time.
  std::size_t read_available(std::span<std::byte> into) const;

  // Throw Error (file.f5).
  void write_at(std::int64_t offset, std::span<const std::byte> bytes) const;
  void write_on(std::span<const std::byte> bytes) const;  // where the last write ended

  // Flushes everything written to the disk. Throws Error (file.f5).
  void sync() const;

  // Checks that everything written was accepted, which some file systems report only when a
  // descriptor is closed; the file stays open. Throws Error (file.f5).
  void flush() const;

  // Closes now, so that a failure is reported. Throws Error (file.f5).
  void close();

 private:
  // Returns whether a call that failed with this errno is to be repeated; waits first if need be.
  bool is_worth_repeating(int error, short event) const;
  void wait_for(short event) const;

  FileSystem* files_;
  int descriptor_ = -1;
  std::string name_;
  StopFlag stop_ = nullptr;  // of a pipe or device that is not waited for in calls
};

// "no such file or directory" for ENOENT.
std::string errno_text(int error_number);

extern const std::span<const Rule> file_rules;

}  // namespace tscatter
