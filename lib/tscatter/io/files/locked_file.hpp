// Opens a file that is going to be changed or replaced, and locks it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/waiting.hpp"

namespace tscatter {

enum class Access : bool { reading, writing };

// Opens a regular file and locks it against others that do the same. `target` still names the file
// once it is locked. Throws Error: file.f1, file.f2; file.f4 when it is not a regular file or may
// not be written. When another process holds the lock: file.f8, or if it is to wait, file.f9 and
// Cancelled as Patience does. `name` is used in messages. REQUIRES: `target` is not a symbolic
// link.
File open_locked(const std::filesystem::path& target, const std::string& name, FileSystem& files,
                 Access access = Access::writing, const std::optional<Waiting>& waiting = {});

// Opens what may or may not be there; nullopt if it is not, or if the user may not open it. Throws
// Error (file.f4) for any other reason.
std::optional<File> open_if_allowed(const std::filesystem::path& path, int flags,
                                    const std::string& name, FileSystem& files);

// Locks a regular file as open_locked() does; nullopt if there is none that the user may open.
// Waits for other processes. Throws Error (file.f4, file.f9) and Cancelled.
std::optional<File> lock_if_there(const std::filesystem::path& target, const std::string& name,
                                  FileSystem& files, const Waiting& waiting);

enum class Sharing : bool { alone, shared };

// Locks the file, alone or shared; false if a lock of another process excludes this one, true on a
// file system without locks. Throws Error (file.f4).
bool try_lock(const File& file, Sharing sharing = Sharing::alone);

// The same, with a second lock that also holds between machines, where the first may not. REQUIRES:
// the file is open for writing, or for reading and `sharing` is shared.
bool try_both_locks(const File& file, Sharing sharing = Sharing::alone);

// Whether another process, on any machine, holds one of these locks. If none does, takes both, as
// far as the file system has them. REQUIRES: the file is open for that access.
bool is_locked_by_another(const File& file, Access access);

// Whether the name still means the file: another may have replaced it before it was locked.
bool is_named(const File& file, const std::filesystem::path& target);

}  // namespace tscatter
