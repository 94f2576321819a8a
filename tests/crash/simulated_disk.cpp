#include "crash/simulated_disk.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

namespace tscatter::crash {
namespace {

int refuse(int error_number) {
  errno = error_number;
  return -1;
}

void put(std::string& content, std::size_t offset, std::string_view bytes) {
  if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size(), '\0');
  content.replace(offset, bytes.size(), bytes);
}

// The sector's bytes within the content's size.
std::string sector_of(const std::string& content, std::size_t begin, std::size_t size) {
  return begin < content.size() ? content.substr(begin, size) : std::string();
}

std::string garbage(std::size_t size, property::Random& random) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.bits());
  return bytes;
}

}  // namespace

SimulatedDisk::SimulatedDisk(const Image& image, UnnamedFiles unnamed) : unnamed_{unnamed} {
  for (const auto& [path, file] : image) {
    inodes_[file.inode] = {.durable = file.content, .current = file.content, .unsynced = {}};
    names_[path] = {.durable = file.inode, .unsynced = {}};
    next_inode_ = std::max(next_inode_, file.inode + 1);
  }
}

void SimulatedDisk::die_after(std::int64_t steps, std::size_t bytes_of_write) {
  die_after_ = steps;
  bytes_of_write_ = bytes_of_write;
}

void SimulatedDisk::fail_at(std::int64_t step, int error_number) {
  fail_at_ = step;
  error_number_ = error_number;
}

int SimulatedDisk::unsupported() { return refuse(EOPNOTSUPP); }

bool SimulatedDisk::begin_step() {
  if (is_dead_) {
    errno = EIO;
    return false;
  }
  if (steps_ == die_after_) {
    is_dead_ = true;
    throw Crash();
  }
  if (steps_++ != fail_at_) return true;
  errno = error_number_;
  return false;
}

Image SimulatedDisk::after_kill() const {
  Image image;
  for (const auto& [path, name] : names_) {
    if (const auto inode = name.current())
      image[path] = {.inode = *inode, .content = inodes_.at(*inode).current};
  }
  return image;
}

Image SimulatedDisk::after(const PowerCut& cut, property::Random& random) const {
  const std::int64_t last_step = cut.fate == Fate::ordered ? random.between(0, steps_) : steps_;
  Image image;
  for (const auto& [path, name] : names_) {
    std::optional<std::uint64_t> inode = name.durable;
    const auto versions = static_cast<std::int64_t>(name.unsynced.size());
    if (cut.fate == Fate::kept) inode = name.current();
    if (cut.fate == Fate::ordered) {
      for (const NameChange& change : name.unsynced) {
        if (change.step < last_step) inode = change.inode;
      }
    }
    if (cut.fate == Fate::reordered || cut.fate == Fate::garbled) {
      const std::int64_t version = random.between(0, versions);
      if (version > 0) inode = name.unsynced[static_cast<std::size_t>(version - 1)].inode;
    }
    if (inode) {
      image[path] = {.inode = *inode,
                     .content = content_after(inodes_.at(*inode), cut, last_step, random)};
    }
  }
  return image;
}

std::string SimulatedDisk::content_after(const Inode& inode, const PowerCut& cut,
                                         std::int64_t last_step, property::Random& random) const {
  if (cut.fate == Fate::kept) return inode.current;
  if (cut.fate == Fate::dropped) return inode.durable;
  // What the file was after each write; the first is what was synced.
  std::vector<std::string> versions{inode.durable};
  std::set<std::size_t> touched;
  for (const Write& write : inode.unsynced) {
    if (cut.fate == Fate::ordered && write.step >= last_step) break;
    versions.push_back(versions.back());
    put(versions.back(), write.offset, write.bytes);
    for (std::size_t at = write.offset / cut.sector;
         at * cut.sector < write.offset + write.bytes.size(); ++at)
      touched.insert(at * cut.sector);
  }
  if (cut.fate == Fate::ordered) return versions.back();
  std::string content = random.among(versions);
  content.resize(random.among(versions).size(), '\0');
  for (const std::size_t begin : touched) {
    if (begin >= content.size()) continue;
    const std::size_t size = std::min(cut.sector, content.size() - begin);
    std::string sector = sector_of(random.among(versions), begin, size);
    sector.resize(size, '\0');
    if (cut.fate == Fate::garbled && random.chance(40)) sector = garbage(size, random);
    content.replace(begin, size, sector);
  }
  return content;
}

int SimulatedDisk::open(const std::filesystem::path& path, int flags, mode_t) {
  if (is_dead_) return refuse(EIO);
  const int descriptor = next_descriptor_++;
  if ((flags & O_DIRECTORY) != 0) {
    open_[descriptor] = std::nullopt;
    return descriptor;
  }
  Name& name = names_[path.native()];
  const bool creates = (flags & O_CREAT) != 0;
  if (!name.current() && !creates) return refuse(ENOENT);
  if (name.current() && creates && (flags & O_EXCL) != 0) return refuse(EEXIST);
  if (!name.current()) {
    if (!begin_step()) return -1;
    inodes_[next_inode_] = {};
    name.unsynced.push_back({.step = steps_ - 1, .inode = next_inode_++});
  }
  open_[descriptor] = name.current();
  return descriptor;
}

int SimulatedDisk::open_unnamed(const std::filesystem::path&, mode_t) {
  if (unnamed_ == UnnamedFiles::missing) return unsupported();
  if (is_dead_) return refuse(EIO);
  inodes_[next_inode_] = {};
  open_[next_descriptor_] = next_inode_++;
  return next_descriptor_++;
}

int SimulatedDisk::link(int descriptor, const std::filesystem::path& path) {
  if (unnamed_ == UnnamedFiles::missing) return unsupported();
  if (!begin_step()) return -1;
  Name& name = names_[path.native()];
  if (name.current()) return refuse(EEXIST);
  name.unsynced.push_back({.step = steps_ - 1, .inode = open_.at(descriptor)});
  return 0;
}

int SimulatedDisk::duplicate(int descriptor) {
  if (is_dead_) return refuse(EIO);
  const int copy = next_descriptor_++;
  open_[copy] = open_.at(descriptor);
  return copy;
}

int SimulatedDisk::close(int descriptor) {
  open_.erase(descriptor);
  return 0;
}

ssize_t SimulatedDisk::pread(int descriptor, std::span<std::byte> into, std::int64_t offset) {
  if (is_dead_) return refuse(EIO);
  const std::string& content = inodes_.at(open_.at(descriptor).value()).current;
  const auto begin = static_cast<std::size_t>(offset);
  if (begin >= content.size()) return 0;
  const std::size_t count = std::min(into.size(), content.size() - begin);
  std::memcpy(into.data(), content.data() + begin, count);
  return static_cast<ssize_t>(count);
}

ssize_t SimulatedDisk::pwrite(int descriptor, std::span<const std::byte> bytes,
                              std::int64_t offset) {
  Inode& inode = inodes_.at(open_.at(descriptor).value());
  const auto write = [&](std::size_t count) {
    if (count == 0) return;
    const std::string text(reinterpret_cast<const char*>(bytes.data()), count);
    inode.unsynced.push_back(
        {.step = steps_, .offset = static_cast<std::size_t>(offset), .bytes = text});
    put(inode.current, static_cast<std::size_t>(offset), text);
  };
  if (!is_dead_ && steps_ == die_after_) write(std::min(bytes_of_write_, bytes.size()));
  if (!begin_step()) return -1;
  write(bytes.size());
  return static_cast<ssize_t>(bytes.size());
}

int SimulatedDisk::fsync(int descriptor) {
  if (!begin_step()) return -1;
  if (syncs_++ == ignored_sync_) return 0;
  if (const auto file = open_.at(descriptor)) {
    Inode& inode = inodes_.at(*file);
    inode.durable = inode.current;
    inode.unsynced.clear();
    return 0;
  }
  for (auto& [path, name] : names_) {
    name.durable = name.current();
    name.unsynced.clear();
  }
  return 0;
}

int SimulatedDisk::fill(std::uint64_t inode, struct stat& status) const {
  status = {};
  status.st_mode = S_IFREG | S_IRUSR | S_IWUSR;
  status.st_uid = ::geteuid();
  status.st_ino = inode;
  status.st_nlink = 1;
  status.st_size = static_cast<off_t>(inodes_.at(inode).current.size());
  return 0;
}

int SimulatedDisk::fstat(int descriptor, struct stat& status) {
  if (is_dead_) return refuse(EIO);
  return fill(open_.at(descriptor).value(), status);
}

int SimulatedDisk::stat(const std::filesystem::path& path, struct stat& status) {
  if (is_dead_) return refuse(EIO);
  const auto found = names_.find(path.native());
  if (found == names_.end() || !found->second.current()) return refuse(ENOENT);
  return fill(*found->second.current(), status);
}

int SimulatedDisk::lstat(const std::filesystem::path& path, struct stat& status) {
  return stat(path, status);
}

int SimulatedDisk::access(const std::filesystem::path& path, int) {
  struct stat status {};
  return stat(path, status);
}

int SimulatedDisk::rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (!begin_step()) return -1;
  const auto inode = names_[from.native()].current();
  if (!inode) return refuse(ENOENT);
  names_[to.native()].unsynced.push_back({.step = steps_ - 1, .inode = inode});
  names_[from.native()].unsynced.push_back({.step = steps_ - 1, .inode = std::nullopt});
  return 0;
}

int SimulatedDisk::unlink(const std::filesystem::path& path) {
  if (!begin_step()) return -1;
  Name& name = names_[path.native()];
  if (!name.current()) return refuse(ENOENT);
  name.unsynced.push_back({.step = steps_ - 1, .inode = std::nullopt});
  return 0;
}

int SimulatedDisk::identify(int descriptor, FileIdentity& identity) {
  if (is_dead_) return refuse(EIO);
  const std::uint64_t inode = open_.at(descriptor).value();
  identity = {.inode = inode,
              .birth_seconds = static_cast<std::int64_t>(inode),
              .size = static_cast<std::int64_t>(inodes_.at(inode).current.size())};
  return 0;
}

}  // namespace tscatter::crash
