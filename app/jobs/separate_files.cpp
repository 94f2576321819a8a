#include "jobs/separate_files.hpp"

#include <filesystem>

#include "jobs/file_identity.hpp"
#include "jobs/operand.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

// The file; for an archive's member, the archive.
std::filesystem::path file_of(const NamedFile& file) {
  if (const auto place = place_of_elements({}, file.word)) return place->archive;
  return file.word;
}

}  // namespace

void require_separate(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read) {
  std::vector<NamedFile> others = read;
  for (const NamedFile& file : written) {
    const auto identity = identity_of(file.word);
    if (!identity) continue;
    for (const NamedFile& other : others) {
      // cli.c14
      if (identity_of(file_of(other)) == identity) {
        fail(ErrorKind::usage, "cli.c14", file.name, "must be another file than {}, got {}",
             other.name, file.word);
      }
    }
    others.push_back(file);
  }
}

}  // namespace tscatter::app
