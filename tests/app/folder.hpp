// A folder in which the program is run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "app/process.hpp"
#include "io/files.hpp"

namespace tscatter {

class Folder {
 public:
  Result run(Strings words) const { return Command(std::move(words)).in(folder_.path()).run(); }
  Result limited(Strings words, std::uint64_t bytes) const {
    return Command(std::move(words)).in(folder_.path()).with_private_memory_limit(bytes).run();
  }
  std::string text(const std::string& name) const { return read_file(folder_ / name); }
  void put(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    write_file(folder_ / name, bytes);
  }
  void link(const std::string& name, const std::string& target) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::filesystem::create_symlink(target, folder_ / name);
  }
  Strings names() const { return folder_.names(); }
  std::string refused(Strings words) const { return run(std::move(words)).err; }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryDirectory folder_;
};

// A change in place of row 1 of a tensor of bytes.
inline Strings change_of(const std::string& data) {
  return {"ScatterUpdate-3", "-d", data, "-i",        "[1]", "-u",
          "[[120, 121]]",    "-a", "0",  "--in-place"};
}

}  // namespace tscatter
