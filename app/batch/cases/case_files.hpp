// The files of a batch: those that CASES names, and in the folders that it names each cases.jsonl,
// the model.onnx of each node test and each module of MLIR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "jobs/hash.hpp"

namespace tscatter::app {

// Where the lines of a file come from.
enum class CaseSource : std::uint8_t {
  lines,      // the file has them
  node_test,  // it is the model of a node test of ONNX, whose data sets become lines
  module,     // it is a module of MLIR, whose functions become lines
  pairs,      // there is no file: files of two folders are compared, a case for each pair
};

struct PairedCases;  // batch_case.hpp

struct BatchFile {
  std::string path;                 // for a command line; - for stdin
  std::string name;                 // for messages and reports, UTF-8: "cases.jsonl", "<stdin>"
  std::filesystem::path base = {};  // relative paths are relative to it
  std::size_t number = 1;           // in the batch
  bool is_alone = true;             // it was named, and is the whole batch
  CaseSource source = CaseSource::lines;
  bool is_one_of_several = false;
  std::shared_ptr<const PairedCases> pairs = {};  // of that source
};

class CaseFiles {
 public:
  // In the order of `words`, a folder's files in the order of their paths. What is named twice is
  // taken once. Throws Error (file.f1 and batch.b15).
  explicit CaseFiles(std::vector<std::string> words);
  // The one that has no file. `words`: the two folders.
  CaseFiles(std::vector<std::string> words, std::shared_ptr<const PairedCases> pairs);
  CaseFiles(const CaseFiles&) = delete;  // others point into it
  CaseFiles& operator=(const CaseFiles&) = delete;
  ~CaseFiles() = default;

  const std::vector<std::string>& words() const { return words_; }
  std::size_t size() const { return files_.size(); }
  const BatchFile& operator[](std::size_t at) const { return files_[at]; }
  bool is_of_pairs() const;  // there is no file

  // "golden", "a.jsonl and 2 more"
  std::string name() const;

  // What a report calls the batch: "cases" for golden/cases.jsonl
  std::string suite() const;

 private:
  void add(const std::filesystem::path& path);
  void add_folder(const std::string& folder);
  std::string unique_name(const std::filesystem::path& path);

  std::vector<std::string> words_;
  std::vector<BatchFile> files_;
  HashSet known_;  // identities of these
  HashSet names_;
};

}  // namespace tscatter::app
