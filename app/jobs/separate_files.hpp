// Reports and pictures must not overwrite what is read, nor each other.
#pragma once

#include <string>
#include <vector>

namespace tscatter::app {

struct NamedFile {
  std::string name;  // of the flag or argument: "--heatmap"
  std::string word;  // as written; ignored if it is not a file's name
};

// Throws Error (usage, cli.c14) if one of `written` is one of `read`, under any name, or another of
// `written`.
void require_separate(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read);

}  // namespace tscatter::app
