// Where the cases of a batch come from: the files and folders that CASES names, and lines that are
// made of node tests and modules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "jobs/hash.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/onnx/node_call.hpp"

namespace tscatter::app {

// ---- The files of a batch: those that CASES names, and in the folders that it names each
// cases.jsonl, the model.onnx of each node test and each module of MLIR.

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

// ---- Lines of a batch that are made of other files: of the data sets of a node test of ONNX,
// test_NAME/model.onnx, and beside it test_data_set_0 with input_0.pb … and output_0.pb; and of a
// module of MLIR, each function that scatters constants and checks the result, as StableHLO's own
// tests have them. Forms: docs/batch.md.

inline constexpr std::string_view model_of_node_test = "model.onnx";

// Whether a file of this name holds a model.
bool is_model(const std::filesystem::path& file);

// The names of the folders test_data_set_N beside the model, by their numbers; empty if they cannot
// be read.
std::vector<std::string> data_sets_beside(const std::filesystem::path& model);

// The line of one data set. `call`: what the model calls, or why it is not run here.
std::string node_test_line(const std::variant<onnx::NodeCall, std::string>& call,
                           std::string_view name, const std::string& data_set);

// A line for each data set, with paths relative to the model's folder. What cannot be run here
// becomes a line that is skipped, with the reason. Throws Error (file; format, pb.f1, pb.f2 and
// pb.f9; usage, batch.b16 without a data set).
std::string node_test_lines(const std::filesystem::path& model);

// Whether a file of this name holds a module.
bool is_module(const std::filesystem::path& file);

// The lines of a module: each function's where it begins in the file, or on the first free line
// behind. Its operands are objects, {"mlir": "dense<[1, 2]> : tensor<2xi64>"}. What cannot be run
// here becomes a line that is skipped, with the reason. `stem`: what the cases are called. `name`:
// in messages. Throws Error (format, mlir.f1).
std::string lines_of_module(std::string_view text, std::string_view stem, const std::string& name);

// The same of a file. Throws Error (file; format, mlir.f1).
std::string module_lines(const std::filesystem::path& module);

// The tensor of such an object. `where` is used in messages. Throws Error (format, mlir.f1 to
// mlir.f4). REQUIRES: lines_of_module() made it.
Tensor tensor_of_module(const std::string& object, const std::string& where);

}  // namespace tscatter::app
