// Reports and pictures must not overwrite what is read, nor each other.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tscatter::app {

struct NamedFile {
  std::string name;  // of the flag or argument: "--heatmap"
  std::string word;  // as written; ignored if it is not a file's name
};

// Throws Error (usage, cli.c14) if one of `written` is one of `read`, under any name, or another of
// `written`.
void require_separate(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read);

// Which file a path leads to, whatever it is called. Follows all links, also dangling ones. A file
// that does not exist is where it would be created.
std::filesystem::path resolved_file(const std::filesystem::path& path);

// Identifies the file that a path leads to, under any of its names: by inode or, if it does not
// exist, by directory and name. nullopt for devices and pipes, which keep nothing.
std::optional<std::uint64_t> identity_of(const std::filesystem::path& path);
std::uint64_t identity_of(const struct stat& status);

}  // namespace tscatter::app
