// Names of files: where one leads, the files to which tscatter gives the name, and the numbers in
// their names.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tscatter/io/files/file.hpp"

namespace tscatter {

// ---- Where a file's name leads, and the directory that holds it.

// Follows symbolic links, even if the last one points to nothing yet. `name` is used in messages.
// Throws Error (file.f4) for a loop, and if it cannot find out whether there is a link.
std::filesystem::path follow_links(std::filesystem::path path, const std::string& name);

// The directory that holds `path`: "." if it names none.
std::filesystem::path directory_of(const std::filesystem::path& path);

// Flushes the names in the directory of `path` to the disk. Returns whether it could; if not, errno
// says why.
bool sync_directory_of(const std::filesystem::path& path, FileSystem& files);

// ---- Files to which tscatter gives the name, beside or inside what the user names: journals,
// parts and their markers, states of batches. Whoever may write to the folder can have put
// something else in their place: a link to a file of the user, a pipe, a file as long as the disk.

// Opens the file, and follows no link of that name and waits for no pipe. If it cannot be opened,
// the descriptor is negative, and errno says why. `flags` and `mode`: of open().
File open_unfollowed(const std::filesystem::path& path, int flags,
                     FileSystem& files = system_files(), mode_t mode = 0);

// The same. Throws Error (file, file.f11) for what is not a regular file, and, if it is to be
// written, for one that has a second name.
File open_own(const std::filesystem::path& path, int flags, FileSystem& files = system_files(),
              mode_t mode = 0);

// All of the file; nullopt: there is none. Throws Error (file): file.f11 also for one of more than
// `most` bytes; file.f1, file.f3.
std::optional<std::string> own_text(const std::filesystem::path& path, std::int64_t most,
                                    FileSystem& files = system_files());

// Throws Error (file, file.f11) unless nothing or a regular file has the name.
void require_own_place(const std::filesystem::path& path, FileSystem& files = system_files());

// "a symbolic link": the kind of what is not a regular file.
std::string_view kind_words(mode_t mode);

// ---- A number that no other process has, for names and marks.

// Opens no file, as std::random_device of some libraries does: a process may have none left.
inline std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getentropy(&number, sizeof number) == 0) return number;
  constexpr unsigned half = 32;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return static_cast<std::uint64_t>(now) ^ static_cast<std::uint64_t>(::getpid()) << half;
}

}  // namespace tscatter
