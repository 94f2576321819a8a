// A disk in memory behind the file layer's interface. It dies at a given step, and then tells what
// a kill or a power cut would have left: after a power cut, a sector that was not synced is any of
// its versions since the last sync, or garbage.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "property/random.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::crash {

// Thrown at the step at which the disk dies. Nothing after that has an effect.
struct Crash {};

struct StoredFile {
  std::uint64_t inode = 0;
  std::string content;

  friend bool operator==(const StoredFile&, const StoredFile&) = default;
};

using Image = std::map<std::string, StoredFile>;  // by path

// What becomes of writes, sizes and names that were not synced.
enum class Fate : std::uint8_t {
  kept,
  dropped,
  ordered,    // kept up to some step, dropped from there on
  reordered,  // each sector, size and name for itself
  garbled,    // as reordered, and some sectors are garbage
};

struct PowerCut {
  Fate fate = Fate::kept;
  std::size_t sector = 512;
};

enum class UnnamedFiles : bool { missing, possible };

class SimulatedDisk final : public FileSystem {
 public:
  explicit SimulatedDisk(const Image& image, UnnamedFiles unnamed = UnnamedFiles::possible);

  // Dies after `steps` steps: writes, syncs, and changes of names. If it dies at a write, so many
  // of its bytes are written.
  void die_after(std::int64_t steps, std::size_t bytes_of_write = 0);

  // The step of this number fails with an errno, once.
  void fail_at(std::int64_t step, int error_number);

  // The sync of this number succeeds without doing anything: is a missing sync found?
  void ignore_sync(std::int64_t number) { ignored_sync_ = number; }

  std::int64_t steps() const { return steps_; }
  std::int64_t syncs() const { return syncs_; }

  Image after_kill() const;
  Image after(const PowerCut& cut, property::Random& random) const;

  int open(const std::filesystem::path& path, int flags, mode_t mode) override;
  int open_unnamed(const std::filesystem::path& directory, mode_t mode) override;
  int link(int descriptor, const std::filesystem::path& path) override;
  int duplicate(int descriptor) override;
  int close(int descriptor) override;
  ssize_t pread(int descriptor, std::span<std::byte> into, std::int64_t offset) override;
  ssize_t pwrite(int descriptor, std::span<const std::byte> bytes, std::int64_t offset) override;
  ssize_t read(int, std::span<std::byte>) override { return unsupported(); }
  ssize_t write(int, std::span<const std::byte>) override { return unsupported(); }
  int fsync(int descriptor) override;
  int fstat(int descriptor, struct stat& status) override;
  int stat(const std::filesystem::path& path, struct stat& status) override;
  int lstat(const std::filesystem::path& path, struct stat& status) override;
  int access(const std::filesystem::path& path, int mode) override;
  int flock(int, int) override { return 0; }
  int lock_bytes(int, short) override { return 0; }
  int fallocate(int, int, std::int64_t, std::int64_t) override { return 0; }
  int sync_file_range(int, std::int64_t, std::int64_t) override { return 0; }
  int touch(int) override { return 0; }
  int truncate(int, std::int64_t) override { return unsupported(); }
  std::int64_t free_space(int) override { return -1; }
  int fchown(int, uid_t, gid_t) override { return 0; }
  int fchmod(int, mode_t) override { return 0; }
  int rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  int unlink(const std::filesystem::path& path) override;
  int make_directory(const std::filesystem::path&, mode_t) override { return unsupported(); }
  int remove_directory(const std::filesystem::path&) override { return unsupported(); }
  int list(const std::filesystem::path&, std::vector<std::string>&) override {
    return unsupported();
  }
  int clone(int, int) override { return unsupported(); }
  int identify(int descriptor, FileIdentity& identity) override;

 private:
  struct Write {
    std::int64_t step;
    std::size_t offset;
    std::string bytes;
  };
  struct Inode {
    std::string durable;  // as of the last sync
    std::string current;
    std::vector<Write> unsynced;
  };
  struct NameChange {
    std::int64_t step;
    std::optional<std::uint64_t> inode;  // nullopt: unlinked
  };
  struct Name {
    std::optional<std::uint64_t> durable;
    std::vector<NameChange> unsynced;

    std::optional<std::uint64_t> current() const {
      return unsynced.empty() ? durable : unsynced.back().inode;
    }
  };

  static int unsupported();
  // Whether the step is to be done; if not, it failed. Throws Crash.
  bool begin_step();
  int fill(std::uint64_t inode, struct stat& status) const;
  std::string content_after(const Inode& inode, const PowerCut& cut, std::int64_t last_step,
                            property::Random& random) const;

  UnnamedFiles unnamed_;
  std::map<std::uint64_t, Inode> inodes_;
  std::map<std::string, Name> names_;
  std::map<int, std::optional<std::uint64_t>> open_;  // nullopt: the directory
  std::uint64_t next_inode_ = 100;
  int next_descriptor_ = 1000;
  std::int64_t steps_ = 0;
  std::int64_t syncs_ = 0;
  std::int64_t die_after_ = -1;
  std::size_t bytes_of_write_ = 0;
  std::int64_t fail_at_ = -1;
  int error_number_ = 0;
  std::int64_t ignored_sync_ = -1;
  bool is_dead_ = false;
};

}  // namespace tscatter::crash
