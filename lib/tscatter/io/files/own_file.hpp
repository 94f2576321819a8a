// Files to which tscatter gives the name, beside or inside what the user names: journals, parts and
// their markers, states of batches. Whoever may write to the folder can have put something else in
// their place: a link to a file of the user, a pipe, a file as long as the disk.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tscatter/io/files/file.hpp"

namespace tscatter {

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

}  // namespace tscatter
