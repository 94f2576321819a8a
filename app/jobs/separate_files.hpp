// Reports and pictures must not be written over what is read, nor over each other.
#pragma once

#include <string>
#include <vector>

namespace tscatter::app {

struct NamedFile {
  std::string name;  // of the flag or argument: "--heatmap"
  std::string word;  // as it was written; what is no file's name is passed over
};

// Throws Error (usage, cli.c14) where one of `written` is one of `read`, under any of its names, or
// another of `written`.
void require_separate(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read);

}  // namespace tscatter::app
