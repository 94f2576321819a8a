#include "tscatter/io/files/temporary_file.hpp"

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/xattr.h>

#include <cerrno>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/checksum.hpp"
#include "tscatter/io/files/file_names.hpp"
#include "tscatter/io/files/locked_file.hpp"

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

namespace {

constexpr const char* access_list = "system.posix_acl_access";

[[noreturn]] void fail_to_keep(const File& to, std::string_view what) {
  // file.f4
  fail(ErrorKind::file, "file.f4", to.name(), "cannot keep its {}: {}", what, errno_text(errno));
}

bool must_be_kept(std::string_view name) {
  return name.starts_with("user.") || name == access_list;
}

bool may_be_kept(std::string_view name) { return name == "security.selinux"; }

// Names, each ended by a zero byte; empty if there are none.
std::string names_of(const std::filesystem::path& from, const File& to) {
  const bool has_none = ::llistxattr(from.c_str(), nullptr, 0) == 0;
  if (has_none) return {};
  std::string names(XATTR_LIST_MAX, '\0');
  const ssize_t size = ::llistxattr(from.c_str(), names.data(), names.size());
  if (size < 0 && errno == EOPNOTSUPP) return {};
  if (size < 0) fail_to_keep(to, "attributes");
  names.resize(static_cast<std::size_t>(size));
  return names;
}

void keep_attribute(const std::filesystem::path& from, const File& to, const std::string& name) {
  std::vector<char> value(XATTR_SIZE_MAX);
  const ssize_t size = ::lgetxattr(from.c_str(), name.c_str(), value.data(), value.size());
  if (size < 0 && errno == ENODATA) return;
  const bool is_kept = size >= 0 && ::fsetxattr(to.descriptor(), name.c_str(), value.data(),
                                                static_cast<std::size_t>(size), 0) == 0;
  if (!is_kept && must_be_kept(name)) fail_to_keep(to, "attribute " + name);
}

// Returns the mode that suits the group that it could be given: a different group gets only the
// permissions of others. Set-user-ID is kept only with the owner.
mode_t keep_owner(const struct stat& old, const File& to) {
  constexpr mode_t all_bits = 07777;
  constexpr uid_t own_user = ~uid_t{0};
  constexpr int group_over_others = 3;
  FileSystem& files = to.files();
  const mode_t mode = old.st_mode & all_bits;
  // Only root may give a file away; otherwise the file stays the user's, as with cp.
  if (files.fchown(to.descriptor(), old.st_uid, old.st_gid) == 0) return mode;
  files.fchown(to.descriptor(), own_user, old.st_gid);
  if (to.status().st_gid == old.st_gid) return mode & ~mode_t{S_ISUID};
  const mode_t of_all = (mode & S_IRWXO) << group_over_others;
  return mode & (~mode_t{S_ISUID | S_ISGID | S_IRWXG} | of_all);
}

// Removes the access control list that a new file inherited from its directory.
void remove_inherited_list(const File& to) {
  if (::fremovexattr(to.descriptor(), access_list) == 0) return;
  const bool has_none = errno == ENODATA || errno == EOPNOTSUPP || errno == ENOSYS;
  if (!has_none) fail_to_keep(to, "access control list");
}

}  // namespace

void keep_attributes(const std::filesystem::path& from, const File& to) {
  const std::string names = names_of(from, to);
  remove_inherited_list(to);
  for (std::size_t begin = 0; begin < names.size();) {
    const std::string name = names.c_str() + begin;
    if (must_be_kept(name) || may_be_kept(name)) keep_attribute(from, to, name);
    begin += name.size() + 1;
  }
}

void keep_properties(const std::filesystem::path& from, const File& to) {
  FileSystem& files = to.files();
  struct stat status {};
  const bool is_there = files.lstat(from, status) == 0;
  if (!is_there && errno == ENOENT) return;
  // file.f4
  if (!is_there) {
    fail(ErrorKind::file, "file.f4", to.name(), "cannot keep its permissions: {}",
         errno_text(errno));
  }
  // Anything put there after the links were followed is replaced; it has no properties to keep.
  if (!S_ISREG(status.st_mode)) return;
  const mode_t mode = keep_owner(status, to);
  if (files.is_system()) keep_attributes(from, to);
  // file.f4
  if (files.fchmod(to.descriptor(), mode) != 0) {
    fail(ErrorKind::file, "file.f4", to.name(), "cannot keep its permissions: {}",
         errno_text(errno));
  }
}

}  // namespace tscatter
