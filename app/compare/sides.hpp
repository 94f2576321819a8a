// The two sides of a comparison, from words: tensors, archives, and the files of two folders.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/operand.hpp"
#include "tscatter/compare/census.hpp"

namespace tscatter::app {

struct Side {
  OperandWord word;
  std::string name;  // in messages: "ACTUAL", or the key "actual"
};

inline Side side_of(const OperandWord& word, std::string name) {
  return {.word = word, .name = std::move(name)};
}

struct SidesAsked {
  std::filesystem::path base = {};     // of relative paths
  std::optional<DType> dtype = {};     // of values without one and of opaque records; "--dtype"
  Missing missing = Missing::refused;  // of tables of numbers
  // Whether records of two bytes are bfloat16 on both sides, which .npy has no name for: a
  // tolerance is given for that dtype.
  bool has_bfloat16 = false;
};

// Such records as bfloat16; other tensors as they are.
Tensor as_bfloat16(const Tensor& tensor);

struct ArchivePair {
  std::unique_ptr<Archive> actual;
  std::unique_ptr<Archive> expected;
};

// Values without a dtype, and opaque records, take the other side's, if they fit. Throws Error.
std::pair<Tensor, Tensor> open_sides(const Side& actual, const Side& expected,
                                     const SidesAsked& asked);

// nullopt unless each word names an archive by itself. Throws Error (file, format).
std::optional<ArchivePair> open_archives(const Side& actual, const Side& expected,
                                         const std::filesystem::path& base = {});

// compare(); where both have the same float8 dtype, as float32. Throws Error as compare() does.
Census compare_numbers(const Tensor& actual, const Tensor& expected, const CompareOptions& options);

// Whether a tolerance that is given for many tensors is meant for these: not for strings and bools.
bool takes_tolerance(std::optional<DType> dtype);

// nullopt for opaque elements.
std::optional<DType> numeric_dtype(const Tensor& tensor);

// The archive that the word names by itself; nullptr if it names none, or a member.
std::unique_ptr<Archive> open_archive(const Side& side, const std::filesystem::path& base = {});

// ---- The files of two folders that are compared: those with the same name, relative to the
// folder, make a pair.

struct FilePair {
  std::string name;    // relative to both folders
  std::string actual;  // the paths, also of a file that is not there
  std::string expected;
  bool has_actual = false;
  bool has_expected = false;
};

struct FilePairs {
  std::vector<FilePair> pairs;      // sorted by name
  std::vector<std::string> others;  // files of folders that are no tensors by their name
};

// Whether the word is a folder, or a pattern of files like 'out/*.npy' that is no file itself.
bool names_folder(const std::string& word);

// Each word is a folder, which stands for all files of tensors below it, a pattern or a file, which
// is looked for in the other word's folder, too. Of a pattern the folder is what stands before its
// first *, ? or [; ** is any number of folders. Links to folders are followed. Throws Error
// (file.f1).
FilePairs pair_files(const std::string& actual, const std::string& expected);

}  // namespace tscatter::app
