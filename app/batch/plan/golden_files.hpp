// Tracks the files that a batch refers to, and finds goldens that no case refers to.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "batch/cases/batch_case.hpp"
#include "jobs/hash.hpp"

namespace tscatter::app {

class GoldenFiles {
 public:
  void add(const BatchCase& each);

  // The files that no case names, sorted: those in the same directory as a golden with the same
  // ending (.npy, .NPY), and the members of named archives that no case names ("x.npz:old").
  // A link is what it leads to. Relative to the batch's file, if it has one and the cases write
  // them so.
  std::vector<std::string> unreferenced() const;

 private:
  struct Directory {
    std::filesystem::path spelling;  // of a case
    std::set<std::string> endings;   // of goldens, in small letters
  };

  void add_word(const std::filesystem::path& base, const OperandWord& word);
  void add_tensor(const std::filesystem::path& base, const std::string& text);
  std::vector<std::string> unreferenced_of(const std::filesystem::path& file,
                                           const std::string& name) const;
  std::string shown(const std::filesystem::path& path) const;

  // The directory of all cases so far; empty if they are not relative to one.
  std::optional<std::filesystem::path> base_;
  HashSet tensors_;  // places, and the files that they are in
  HashSet files_;    // that are named without a member
  std::map<std::filesystem::path, Directory> directories_;  // that cases name, links resolved
};

}  // namespace tscatter::app
