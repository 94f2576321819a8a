#include "jobs/separate_files.hpp"

#include <filesystem>

#include "jobs/operand.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

// Whether the operand is read from the file: by its name, or as that which has its elements.
bool is_read_from(const NamedFile& operand, std::uint64_t file) {
  const std::string word = word_behind({}, operand.word);
  const auto member = member_name({}, word);
  const auto place = place_of_elements({}, word);
  return identity_of(member ? member->archive : word) == file ||
         (place && identity_of(place->archive) == file);
}

}  // namespace

void require_separate(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read) {
  std::vector<NamedFile> others = read;
  for (const NamedFile& file : written) {
    const auto identity = identity_of(file.word);
    if (!identity) continue;
    for (const NamedFile& other : others) {
      // cli.c14
      if (is_read_from(other, *identity)) {
        fail(ErrorKind::usage, "cli.c14", file.name, "must be another file than {}, got {}",
             other.name, file.word);
      }
    }
    others.push_back(file);
  }
}

}  // namespace tscatter::app
