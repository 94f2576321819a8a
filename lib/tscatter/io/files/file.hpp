// File: an open file descriptor with a name for messages. A system call that fails for a reason
// outside the program throws an Error here. Rules: docs/errors.md, file.*
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/io/files/file_system.hpp"

namespace tscatter {

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
