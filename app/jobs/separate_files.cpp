#include "jobs/separate_files.hpp"

#include <filesystem>

#include "jobs/operand.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

// The file; for an archive's member, the archive.
std::filesystem::path file_of(const NamedFile& file) {
  if (const auto member = member_name({}, file.word)) return member->archive;
  return file.word;
}

bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  return std::filesystem::absolute(a, error).lexically_normal() ==
         std::filesystem::absolute(b, error).lexically_normal();
}

bool is_device(const std::filesystem::path& path) {
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  return type == std::filesystem::file_type::character || type == std::filesystem::file_type::fifo;
}

}  // namespace

void require_separate(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read) {
  std::vector<NamedFile> others = read;
  for (const NamedFile& file : written) {
    if (is_device(file.word)) continue;
    for (const NamedFile& other : others) {
      // cli.c14
      if (is_same_file(file.word, file_of(other))) {
        fail(ErrorKind::usage, "cli.c14", file.name, "must be another file than {}, got {}",
             other.name, file.word);
      }
    }
    others.push_back(file);
  }
}

}  // namespace tscatter::app
