// What somebody may have put in the place of a file of tscatter's own.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tscatter {

struct ForeignFile {
  std::string words;  // as a message has it
  std::function<void(const std::filesystem::path&)> make;
};

// `precious`: a file that is linked to.
inline std::vector<ForeignFile> foreign_files(const std::filesystem::path& precious) {
  namespace fs = std::filesystem;
  return {{"a symbolic link", [=](const fs::path& path) { fs::create_symlink(precious, path); }},
          {"a symbolic link",
           [](const fs::path& path) { fs::create_symlink(path.native() + ".none", path); }},
          {"a pipe", [](const fs::path& path) { ::mkfifo(path.c_str(), 0600); }},
          {"a directory", [](const fs::path& path) { fs::create_directory(path); }},
          {"a socket", [](const fs::path& path) { ::mknod(path.c_str(), S_IFSOCK | 0600, 0); }}};
}

}  // namespace tscatter
