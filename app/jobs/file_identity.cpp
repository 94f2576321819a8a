#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "jobs/hash.hpp"
#include "jobs/separate_files.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

fs::path resolved(const fs::path& path) {
  constexpr int most_links = 40;
  const fs::path whole = fs::absolute(path.empty() ? "." : path);
  std::vector<fs::path> parts(whole.begin(), whole.end());
  std::ranges::reverse(parts);
  fs::path known;
  for (int links = 0; !parts.empty();) {
    const fs::path part = std::move(parts.back());
    parts.pop_back();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      known = known.parent_path();
      continue;
    }
    std::error_code error;
    const fs::path link = fs::read_symlink(known / part, error);
    if (error || ++links > most_links) {
      known /= part;
      continue;
    }
    const std::vector<fs::path> more(link.begin(), link.end());
    parts.insert(parts.end(), more.rbegin(), more.rend());  // a leading "/" starts afresh
  }
  return known;
}

// The files of a batch are in few directories.
const fs::path& resolved_directory(const fs::path& directory) {
  constexpr std::size_t most = 64;
  thread_local std::map<fs::path, fs::path> known;
  if (const auto found = known.find(directory); found != known.end()) return found->second;
  if (known.size() >= most) known.clear();
  return known.emplace(directory, resolved(directory)).first->second;
}

}  // namespace

fs::path resolved_file(const fs::path& path) {
  std::error_code error;
  const fs::path name = path.filename();
  const bool is_plain = !name.empty() && name != "." && name != "..";
  if (!is_plain || fs::is_symlink(fs::symlink_status(path, error))) return resolved(path);
  return resolved_directory(path.parent_path()) / name;
}

std::optional<std::uint64_t> identity_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    const bool is_passed_through = S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode);
    return is_passed_through ? std::nullopt : std::optional(identity_of(status));
  }
  const fs::path file = resolved_file(path);
  const fs::path directory = file.parent_path();
  const bool is_there = ::stat(directory.c_str(), &status) == 0;
  const std::uint64_t where = is_there ? identity_of(status) : hash_of(directory.native());
  return hash_end(hash_more(hash_more(hash_start, where), file.filename().native()));
}

std::uint64_t identity_of(const struct stat& status) {
  const std::uint64_t device = hash_more(hash_start, std::uint64_t{status.st_dev});
  return hash_end(hash_more(device, std::uint64_t{status.st_ino}));
}

}  // namespace tscatter::app
