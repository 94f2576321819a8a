// The system's files, for tests that replace one call.
#pragma once

#include "tscatter/io/files/file.hpp"

namespace tscatter {

class ForwardingFiles : public FileSystem {
 public:
  using Path = std::filesystem::path;
  using Bytes = std::span<std::byte>;
  using ConstBytes = std::span<const std::byte>;

  int open(const Path& path, int flags, mode_t mode) override {
    return to_.open(path, flags, mode);
  }
  int open_unnamed(const Path& directory, mode_t mode) override {
    return to_.open_unnamed(directory, mode);
  }
  int link(int descriptor, const Path& path) override { return to_.link(descriptor, path); }
  int duplicate(int descriptor) override { return to_.duplicate(descriptor); }
  int close(int descriptor) override { return to_.close(descriptor); }
  ssize_t pread(int descriptor, Bytes into, std::int64_t offset) override {
    return to_.pread(descriptor, into, offset);
  }
  ssize_t pwrite(int descriptor, ConstBytes bytes, std::int64_t offset) override {
    return to_.pwrite(descriptor, bytes, offset);
  }
  ssize_t read(int descriptor, Bytes into) override { return to_.read(descriptor, into); }
  ssize_t write(int descriptor, ConstBytes bytes) override { return to_.write(descriptor, bytes); }
  int fsync(int descriptor) override { return to_.fsync(descriptor); }
  int fstat(int descriptor, struct stat& status) override { return to_.fstat(descriptor, status); }
  int stat(const Path& path, struct stat& status) override { return to_.stat(path, status); }
  int access(const Path& path, int mode) override { return to_.access(path, mode); }
  int lstat(const Path& path, struct stat& status) override { return to_.lstat(path, status); }
  int flock(int descriptor, int operation) override { return to_.flock(descriptor, operation); }
  int lock_bytes(int descriptor, short type) override { return to_.lock_bytes(descriptor, type); }
  int fallocate(int descriptor, int mode, std::int64_t begin, std::int64_t size) override {
    return to_.fallocate(descriptor, mode, begin, size);
  }
  int sync_file_range(int descriptor, std::int64_t begin, std::int64_t size) override {
    return to_.sync_file_range(descriptor, begin, size);
  }
  int truncate(int descriptor, std::int64_t size) override {
    return to_.truncate(descriptor, size);
  }
  std::int64_t free_space(int descriptor) override { return to_.free_space(descriptor); }
  int fchown(int descriptor, uid_t user, gid_t group) override {
    return to_.fchown(descriptor, user, group);
  }
  int fchmod(int descriptor, mode_t mode) override { return to_.fchmod(descriptor, mode); }
  int touch(int descriptor) override { return to_.touch(descriptor); }
  int rename(const Path& from, const Path& to) override { return to_.rename(from, to); }
  int unlink(const Path& path) override { return to_.unlink(path); }
  int make_directory(const Path& path, mode_t mode) override {
    return to_.make_directory(path, mode);
  }
  int remove_directory(const Path& path) override { return to_.remove_directory(path); }
  int list(const Path& directory, std::vector<std::string>& names) override {
    return to_.list(directory, names);
  }
  int clone(int descriptor, int from) override { return to_.clone(descriptor, from); }
  int identify(int descriptor, FileIdentity& identity) override {
    return to_.identify(descriptor, identity);
  }

 private:
  FileSystem& to_ = system_files();
};

}  // namespace tscatter
