// A folder in which the program is run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "app/process.hpp"
#include "io/files.hpp"

namespace tscatter {

class Folder : public TemporaryDirectory {
 public:
  Command command(Command command) const { return command.in(path()); }
  Result run(const Command& words) const { return command(words).run(); }
  std::string out(const Command& words) const { return run(words).out; }
  std::string err(const Command& words) const { return run(words).err; }
  std::string refused(int exit_code, const Command& words) const {
    return refusal_of(exit_code, command(words));
  }
  Result limited(const Command& words, std::uint64_t bytes) const {
    return command(words).with_private_memory_limit(bytes).run();
  }

  std::string text(const std::string& name) const { return read_file(*this / name); }
  void put(const std::string& name, std::string_view bytes) const {
    std::filesystem::create_directories((*this / name).parent_path());
    write_file(*this / name, bytes);
  }
  void link(const std::string& name, const std::string& target) const {
    std::filesystem::create_directories((*this / name).parent_path());
    std::filesystem::create_symlink(target, *this / name);
  }
};

// A change in place of row 1 of a tensor of bytes.
inline Strings change_of(const std::string& data) {
  return {"ScatterUpdate-3", "-d", data, "-i",        "[1]", "-u",
          "[[120, 121]]",    "-a", "0",  "--in-place"};
}

}  // namespace tscatter
