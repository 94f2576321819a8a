// What somebody may have put in the place of a file of tscatter's own.
#pragma once

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tscatter {

struct ForeignFile {
  std::string words;  // as a message has it
  std::function<void(const std::filesystem::path&)> make;
};

inline void make_socket(const std::filesystem::path& path) {
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  ::bind(descriptor, reinterpret_cast<const struct sockaddr*>(&address), sizeof(address));
  ::close(descriptor);
}

// `precious`: a file that is linked to.
inline std::vector<ForeignFile> foreign_files(const std::filesystem::path& precious) {
  namespace fs = std::filesystem;
  return {{"a symbolic link", [=](const fs::path& path) { fs::create_symlink(precious, path); }},
          {"a symbolic link",
           [](const fs::path& path) { fs::create_symlink(path.native() + ".none", path); }},
          {"a pipe", [](const fs::path& path) { ::mkfifo(path.c_str(), 0600); }},
          {"a directory", [](const fs::path& path) { fs::create_directory(path); }},
          {"a socket", make_socket}};
}

}  // namespace tscatter
