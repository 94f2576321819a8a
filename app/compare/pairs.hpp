// The files of two folders that are compared: those with the same name, relative to the folder,
// make a pair.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tscatter::app {

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
