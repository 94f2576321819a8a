#include "tscatter/io/files/file_attributes.hpp"

#include <linux/limits.h>
#include <sys/xattr.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/fail.hpp"

namespace tscatter {
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
