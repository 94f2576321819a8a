#include "tscatter/io/files/temporary_file.hpp"

#include <fcntl.h>

#include <cerrno>
#include <span>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/checksum.hpp"
#include "tscatter/io/files/file_attributes.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/files/own_file.hpp"
#include "tscatter/io/files/path.hpp"
#include "tscatter/io/files/random_number.hpp"

namespace tscatter {
namespace {

// After a kill, siblings with these numbers are looked for. Others are needed only when more
// writers than these share a target.
constexpr int numbered_siblings = 4;
constexpr int most_attempts = 16;

// File systems and kernels without unnamed files report that in several ways.
bool means_unsupported(int error) {
  return error == EOPNOTSUPP || error == EISDIR || error == EINVAL || error == ENOSYS;
}

// Whoever holds a lock is still writing the file. Only the holder may remove its name, so that
// the name means the same file until the end.
void remove_if_dead(const std::filesystem::path& path, FileSystem& files) {
  struct stat named {};
  if (files.lstat(path, named) != 0 || !S_ISREG(named.st_mode)) return;
  const File left = open_unfollowed(path, O_RDWR, files);
  if (left.descriptor() < 0 || is_locked_by_another(left, Access::writing)) return;
  struct stat own {};
  const bool is_looked_at =
      files.fstat(left.descriptor(), own) == 0 && files.lstat(path, named) == 0;
  if (is_looked_at && is_same_file(named, own)) files.unlink(path);
}

}  // namespace

TemporaryFile::TemporaryFile(std::filesystem::path target, std::string name, FileSystem& files,
                             mode_t mode, NotOpened)
    : files_{files}, target_{std::move(target)}, name_{std::move(name)}, mode_{mode} {}

// The delegated constructor has finished: whatever fails here, the destructor cleans up.
TemporaryFile::TemporaryFile(std::filesystem::path target, std::string name, FileSystem& files,
                             mode_t mode)
    : TemporaryFile(std::move(target), std::move(name), files, mode, NotOpened{}) {
  remove_dead_siblings();
  if (!open_unnamed()) open_named();
}

TemporaryFile::~TemporaryFile() {
  if (sibling_) files_.unlink(*sibling_);
}

std::filesystem::path TemporaryFile::sibling(int attempt) const {
  const std::string name = target_.filename().native();
  const std::uint64_t hash = checksum(0, std::as_bytes(std::span(name)));
  const unsigned number = attempt < numbered_siblings ? static_cast<unsigned>(attempt)
                                                      : static_cast<unsigned>(random_number());
  return directory_of(target_) / fmt::format("{}{:016x}-{}", temporary_prefix, hash, number);
}

void TemporaryFile::remove_dead_siblings() const {
  for (int i = 0; i < numbered_siblings; ++i) remove_if_dead(sibling(i), files_);
}

void TemporaryFile::refuse_creation(int error) const {
  struct stat status {};
  const std::filesystem::path folder = directory_of(target_);
  const bool has_folder = error != ENOENT || files_.stat(folder, status) == 0;
  // file.f4
  fail(ErrorKind::file, "file.f4", name_, "cannot be created: {}",
       has_folder ? errno_text(error)
                  : fmt::format("the folder {} does not exist", folder.native()));
}

// Returns whether there are such files.
bool TemporaryFile::open_unnamed() {
  File file(files_.open_unnamed(directory_of(target_), mode_), name_, files_);
  if (file.descriptor() < 0 && means_unsupported(errno)) return false;
  if (file.descriptor() < 0) refuse_creation(errno);
  try_both_locks(file);
  file_.emplace(std::move(file));
  return true;
}

void TemporaryFile::open_named() {
  // Content that may be secret stays private until the file has the mode of what it replaces.
  struct stat replaced {};
  const bool is_new = files_.lstat(target_, replaced) != 0 && errno == ENOENT;
  const mode_t mode = is_new ? mode_ : 0600;
  constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const std::filesystem::path path = sibling(attempt);
    File file(files_.open(path, flags, mode), name_, files_);
    if (file.descriptor() < 0 && errno == EEXIST) continue;
    if (file.descriptor() < 0) refuse_creation(errno);
    file_.emplace(std::move(file));
    sibling_ = path;
    if (try_both_locks(*file_) && is_still_named()) return;
    // Another process took it for dead before it was locked, and removes it.
    sibling_.reset();
  }
  // file.f4
  fail(ErrorKind::file, "file.f4", name_, "cannot be created: {}", errno_text(EEXIST));
}

bool TemporaryFile::is_still_named() const { return file_->status().st_nlink > 0; }

void TemporaryFile::keep_properties() const { tscatter::keep_properties(target_, *file_); }

void TemporaryFile::put_in_place(Durability durability) {
  if (durability == Durability::power_cut) file_->sync();
  file_->flush();
  // A new name can be linked directly.
  if (!sibling_ && !link_as(target_)) link_beside();
  if (sibling_) replace();
  // file.f6
  if (durability == Durability::power_cut && !sync_directory_of(target_, files_))
    fail(ErrorKind::file, "file.f6", name_,
         "the output was written, but its directory cannot be flushed to disk: {}",
         errno_text(errno));
}

bool TemporaryFile::put_in_free_place() {
  if (!sibling_) return link_in_free_place();
  struct stat taken {};
  if (files_.lstat(target_, taken) == 0) errno = EEXIST;
  if (errno != ENOENT || files_.rename(*sibling_, target_) != 0) return false;
  sibling_.reset();
  return true;
}

bool TemporaryFile::link_in_free_place() { return files_.link(file_->descriptor(), target_) == 0; }

// Returns false if the name is taken.
bool TemporaryFile::link_as(const std::filesystem::path& path) const {
  if (files_.link(file_->descriptor(), path) == 0) return true;
  if (errno == EEXIST) return false;
  // file.f6
  fail(ErrorKind::file, "file.f6", name_, "cannot be replaced by the finished output: {}",
       errno_text(errno));
}

void TemporaryFile::link_beside() {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const std::filesystem::path path = sibling(attempt);
    if (!link_as(path)) continue;
    sibling_ = path;
    return;
  }
  // file.f6
  fail(ErrorKind::file, "file.f6", name_, "cannot be replaced by the finished output: {}",
       errno_text(EEXIST));
}

void TemporaryFile::replace() {
  if (files_.rename(*sibling_, target_) == 0) {
    sibling_.reset();
    return;
  }
  const bool is_held = errno == EBUSY;
  // file.f6
  fail(ErrorKind::file, "file.f6", name_, "cannot be replaced by the finished output: {}{}",
       is_held ? "a file that is mounted there: " : "", errno_text(errno));
}

}  // namespace tscatter
