// Which files a batch refers to, to find the goldens that none of its cases does.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "batch/batch_case.hpp"
#include "batch/hash.hpp"

namespace tscatter::app {

class GoldenFiles {
 public:
  void add(const BatchCase& each);

  // The files that no case names, sorted: those beside a golden (in the same directory) that end as
  // it does (.npy, .npz or .json). Relative to the batch where its cases say so.
  std::vector<std::string> unreferenced() const;

 private:
  void add_file(const std::filesystem::path& base, const OperandWord& word);

  std::filesystem::path base_;
  HashSet files_;                                         // hashes of paths
  std::map<std::string, std::set<std::string>> endings_;  // of goldens, by their directory
};

}  // namespace tscatter::app
