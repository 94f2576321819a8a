// TemporaryFile: a file that is written beside the one that it becomes. Where the file system
// allows, it has no name until it is complete, so that a kill leaves nothing. Otherwise, and for
// the moment before it replaces another file, it is a locked sibling, which the next run removes if
// nobody holds its lock.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter {

// What the names of such siblings begin with.
inline constexpr std::string_view temporary_prefix = ".tscatter-";

class TemporaryFile {
 public:
  // First removes what killed runs left for this target. `name` is used in messages. A new file
  // gets `mode`, less the umask. Throws Error (file.f4). REQUIRES: target is not a symbolic link.
  TemporaryFile(std::filesystem::path target, std::string name, FileSystem& files,
                mode_t mode = 0666);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();  // unless it was put in place: removes it

  const File& file() const { return *file_; }
  const std::filesystem::path& target() const { return target_; }
  // Its present name, if it has one.
  const std::optional<std::filesystem::path>& temporary_name() const { return sibling_; }

  // Gives it the owner and group (where allowed), attributes and mode of what it replaces. If it
  // cannot be given the group, it loses the group's permissions. Throws Error (file.f4).
  void keep_properties() const;

  // Throws Error (file.f5 or file.f6).
  void put_in_place(Durability durability);

  // Puts it there only if the name is free, and flushes nothing. Returns whether it did; if not,
  // errno says why. REQUIRES: no other process makes the name meanwhile.
  bool put_in_free_place();
  // The same by a hard link: of several processes, one makes the name.
  bool link_in_free_place();

 private:
  struct NotOpened {};
  TemporaryFile(std::filesystem::path target, std::string name, FileSystem& files, mode_t mode,
                NotOpened);

  std::filesystem::path sibling(int attempt) const;
  void remove_dead_siblings() const;
  bool open_unnamed();
  [[noreturn]] void refuse_creation(int error) const;
  void open_named();
  bool is_still_named() const;
  bool link_as(const std::filesystem::path& path) const;
  void link_beside();
  void replace();

  FileSystem& files_;
  std::filesystem::path target_;
  std::string name_;
  mode_t mode_;
  std::optional<File> file_;
  std::optional<std::filesystem::path> sibling_;
};

// ---- What a file keeps of the one that it replaces: owner, mode, extended attributes, access
// control lists among them.

// Copies user attributes, the access control list and, where allowed, the SELinux label from the
// file at `from`; removes a list that `to` inherited from its directory if `from` has none. Other
// attributes describe content (capabilities, signatures) or belong to the system. Throws Error
// (file.f4). REQUIRES: both are the system's files.
void keep_attributes(const std::filesystem::path& from, const File& to);

// Gives `to` the owner and group (where allowed), attributes and mode of the file at `from`, if
// there is one. If it cannot be given the group, it loses the group's permissions. Throws Error
// (file.f4). REQUIRES: `from` is in the file system of `to`, and not a symbolic link.
void keep_properties(const std::filesystem::path& from, const File& to);

}  // namespace tscatter
